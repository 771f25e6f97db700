-- Order Entry. Makes the ten tables dbdyno_oe_…, and touches nothing else. Proves that every order's total is that of its items,
-- that no stock is below zero, that every item has its order and its product, and that the tables grew by what was acknowledged.
-- Moments are seconds from 1970-01-01 UTC. There is one writer at a time, who takes the next key from the table itself: SQLite
-- has no sequences.

-- name: make customers
-- makes: table dbdyno_oe_customers
-- columns: customer_id first_name last_name language territory credit_limit email account_mgr_id customer_since customer_class suggestions date_of_birth mailshot partner_mailshot preferred_address preferred_card
CREATE TABLE dbdyno_oe_customers (
  customer_id INTEGER PRIMARY KEY, first_name TEXT NOT NULL, last_name TEXT NOT NULL, language TEXT NOT NULL,
  territory TEXT NOT NULL, credit_limit REAL NOT NULL, email TEXT NOT NULL, account_mgr_id INT NOT NULL,
  customer_since TEXT NOT NULL, customer_class TEXT NOT NULL, suggestions TEXT NOT NULL, date_of_birth TEXT NOT NULL,
  mailshot TEXT NOT NULL, partner_mailshot TEXT NOT NULL, preferred_address INT NOT NULL, preferred_card INT NOT NULL
);

-- name: make addresses
-- makes: table dbdyno_oe_addresses
-- columns: address_id customer_id date_created house street town county country post_code zip_code
CREATE TABLE dbdyno_oe_addresses (
  address_id INTEGER PRIMARY KEY, customer_id INT NOT NULL, date_created TEXT NOT NULL, house TEXT NOT NULL,
  street TEXT NOT NULL, town TEXT NOT NULL, county TEXT NOT NULL, country TEXT NOT NULL, post_code TEXT NOT NULL,
  zip_code TEXT NOT NULL
);

-- name: make cards
-- makes: table dbdyno_oe_cards
-- columns: card_id customer_id card_type card_number expiry_date is_valid security_code
CREATE TABLE dbdyno_oe_cards (
  card_id INTEGER PRIMARY KEY, customer_id INT NOT NULL, card_type TEXT NOT NULL, card_number INT NOT NULL,
  expiry_date TEXT NOT NULL, is_valid TEXT NOT NULL, security_code INT NOT NULL
);

-- name: make orders
-- makes: table dbdyno_oe_orders
-- columns: order_id order_date order_mode customer_id order_status order_total sales_rep_id promotion_id warehouse_id delivery_type cost_of_delivery wait_till_all_available delivery_address_id customer_class card_id invoice_address_id
CREATE TABLE dbdyno_oe_orders (
  order_id INTEGER PRIMARY KEY, order_date INT NOT NULL, order_mode TEXT NOT NULL, customer_id INT NOT NULL,
  order_status INT NOT NULL, order_total REAL NOT NULL, sales_rep_id INT NOT NULL, promotion_id INT NOT NULL,
  warehouse_id INT NOT NULL, delivery_type TEXT NOT NULL, cost_of_delivery REAL NOT NULL,
  wait_till_all_available TEXT NOT NULL, delivery_address_id INT NOT NULL, customer_class TEXT NOT NULL, card_id INT NOT NULL,
  invoice_address_id INT NOT NULL
);

-- name: make items
-- makes: table dbdyno_oe_items
-- columns: order_id line_item_id product_id unit_price quantity dispatch_date return_date gift_wrap item_condition supplier_id estimated_delivery
CREATE TABLE dbdyno_oe_items (
  order_id INT NOT NULL, line_item_id INT NOT NULL, product_id INT NOT NULL, unit_price REAL NOT NULL, quantity INT NOT NULL,
  dispatch_date TEXT NOT NULL, return_date TEXT NOT NULL, gift_wrap TEXT NOT NULL, item_condition TEXT NOT NULL,
  supplier_id INT NOT NULL, estimated_delivery TEXT NOT NULL, PRIMARY KEY (order_id, line_item_id)
) WITHOUT ROWID;

-- name: make logons
-- makes: table dbdyno_oe_logons
-- columns: logon_id customer_id logon_date
CREATE TABLE dbdyno_oe_logons (
  logon_id INTEGER PRIMARY KEY, customer_id INT NOT NULL, logon_date INT NOT NULL
);

-- name: make inventories
-- makes: table dbdyno_oe_inventories
-- columns: product_id warehouse_id quantity_on_hand
CREATE TABLE dbdyno_oe_inventories (
  product_id INT NOT NULL, warehouse_id INT NOT NULL, quantity_on_hand INT NOT NULL, PRIMARY KEY (product_id, warehouse_id)
) WITHOUT ROWID;

-- name: make products
-- makes: table dbdyno_oe_products
-- columns: product_id product_name product_description category_id weight_class warranty_months supplier_id product_status list_price min_price catalog_url
CREATE TABLE dbdyno_oe_products (
  product_id INTEGER PRIMARY KEY, product_name TEXT NOT NULL, product_description TEXT NOT NULL, category_id INT NOT NULL,
  weight_class INT NOT NULL, warranty_months INT NOT NULL, supplier_id INT NOT NULL, product_status TEXT NOT NULL,
  list_price REAL NOT NULL, min_price REAL NOT NULL, catalog_url TEXT NOT NULL
);

-- name: make descriptions
-- makes: table dbdyno_oe_descriptions
-- columns: product_id language_id translated_name translated_description
CREATE TABLE dbdyno_oe_descriptions (
  product_id INT NOT NULL, language_id TEXT NOT NULL, translated_name TEXT NOT NULL, translated_description TEXT NOT NULL,
  PRIMARY KEY (product_id, language_id)
) WITHOUT ROWID;

-- name: make warehouses
-- makes: table dbdyno_oe_warehouses
-- columns: warehouse_id warehouse_name location_id
CREATE TABLE dbdyno_oe_warehouses (
  warehouse_id INTEGER PRIMARY KEY, warehouse_name TEXT NOT NULL, location_id INT NOT NULL
);

-- name: index customers_name
CREATE INDEX IF NOT EXISTS dbdyno_oe_customers_name ON dbdyno_oe_customers (lower(last_name), lower(first_name));

-- name: index customers_email
CREATE INDEX IF NOT EXISTS dbdyno_oe_customers_email ON dbdyno_oe_customers (email);

-- name: index customers_manager
CREATE INDEX IF NOT EXISTS dbdyno_oe_customers_manager ON dbdyno_oe_customers (account_mgr_id);

-- name: index addresses_customer
CREATE INDEX IF NOT EXISTS dbdyno_oe_addresses_customer ON dbdyno_oe_addresses (customer_id);

-- name: index cards_customer
CREATE INDEX IF NOT EXISTS dbdyno_oe_cards_customer ON dbdyno_oe_cards (customer_id);

-- name: index orders_customer
CREATE INDEX IF NOT EXISTS dbdyno_oe_orders_customer ON dbdyno_oe_orders (customer_id);

-- name: index orders_warehouse
CREATE INDEX IF NOT EXISTS dbdyno_oe_orders_warehouse ON dbdyno_oe_orders (warehouse_id, order_status, order_id);

-- name: index orders_sales_rep
CREATE INDEX IF NOT EXISTS dbdyno_oe_orders_sales_rep ON dbdyno_oe_orders (sales_rep_id);

-- name: index orders_date
CREATE INDEX IF NOT EXISTS dbdyno_oe_orders_date ON dbdyno_oe_orders (order_date);

-- name: index items_product
CREATE INDEX IF NOT EXISTS dbdyno_oe_items_product ON dbdyno_oe_items (product_id);

-- name: index logons_customer
CREATE INDEX IF NOT EXISTS dbdyno_oe_logons_customer ON dbdyno_oe_logons (customer_id);

-- name: index logons_date
CREATE INDEX IF NOT EXISTS dbdyno_oe_logons_date ON dbdyno_oe_logons (logon_date);

-- name: index inventories_warehouse
CREATE INDEX IF NOT EXISTS dbdyno_oe_inventories_warehouse ON dbdyno_oe_inventories (warehouse_id);

-- name: index products_category
CREATE INDEX IF NOT EXISTS dbdyno_oe_products_category ON dbdyno_oe_products (category_id);

-- name: index products_supplier
CREATE INDEX IF NOT EXISTS dbdyno_oe_products_supplier ON dbdyno_oe_products (supplier_id);

-- name: index products_name
CREATE INDEX IF NOT EXISTS dbdyno_oe_products_name ON dbdyno_oe_products (product_name);

-- name: index descriptions_name
CREATE INDEX IF NOT EXISTS dbdyno_oe_descriptions_name ON dbdyno_oe_descriptions (translated_name);

-- name: index warehouses_location
CREATE INDEX IF NOT EXISTS dbdyno_oe_warehouses_location ON dbdyno_oe_warehouses (location_id);

-- name: finish statistics_customers
ANALYZE dbdyno_oe_customers;

-- name: finish statistics_addresses
ANALYZE dbdyno_oe_addresses;

-- name: finish statistics_cards
ANALYZE dbdyno_oe_cards;

-- name: finish statistics_orders
ANALYZE dbdyno_oe_orders;

-- name: finish statistics_items
ANALYZE dbdyno_oe_items;

-- name: finish statistics_logons
ANALYZE dbdyno_oe_logons;

-- name: finish statistics_inventories
ANALYZE dbdyno_oe_inventories;

-- name: finish statistics_products
ANALYZE dbdyno_oe_products;

-- name: finish statistics_descriptions
ANALYZE dbdyno_oe_descriptions;

-- name: finish statistics_warehouses
ANALYZE dbdyno_oe_warehouses;

-- name: client find_customer
SELECT preferred_address, preferred_card, first_name, last_name, email, customer_class, credit_limit
FROM dbdyno_oe_customers WHERE customer_id = :1;

-- name: client customer_addresses
SELECT address_id, house, street, town, county, country, post_code, zip_code
FROM dbdyno_oe_addresses WHERE customer_id = :1 ORDER BY address_id LIMIT 5;

-- name: client customer_cards
SELECT card_id, card_type, card_number, expiry_date, is_valid
FROM dbdyno_oe_cards WHERE customer_id = :1 ORDER BY card_id LIMIT 5;

-- name: client customer_by_name
-- what: :1 last name, :2 first name
SELECT customer_id, email, territory, customer_class
FROM dbdyno_oe_customers WHERE lower(last_name) = lower(:1) AND lower(first_name) = lower(:2) ORDER BY customer_id LIMIT 5;

-- name: client browse_product
SELECT i.warehouse_id, i.quantity_on_hand, p.product_name, p.product_description, p.list_price
FROM dbdyno_oe_products p JOIN dbdyno_oe_inventories i ON i.product_id = p.product_id
WHERE p.product_id = :1 AND i.quantity_on_hand > 0 ORDER BY i.warehouse_id LIMIT 15;

-- name: client browse_category
-- what: :1 category, :2 warehouse
SELECT p.product_id, i.quantity_on_hand, p.product_name, p.list_price
FROM dbdyno_oe_products p JOIN dbdyno_oe_inventories i ON i.product_id = p.product_id
WHERE p.category_id = :1 AND i.warehouse_id = :2 AND i.quantity_on_hand > 0 ORDER BY p.product_id LIMIT 4;

-- name: client new_customer_keys
SELECT (SELECT coalesce(max(customer_id), 0) + 1 FROM dbdyno_oe_customers), (SELECT coalesce(max(address_id), 0) + 1 FROM dbdyno_oe_addresses), (SELECT coalesce(max(card_id), 0) + 1 FROM dbdyno_oe_cards),
       (SELECT coalesce(max(logon_id), 0) + 1 FROM dbdyno_oe_logons);

-- name: client insert_customer
-- what: :1 customer, :2 first name, :3 last name, :4 address, :5 card
INSERT INTO dbdyno_oe_customers (customer_id, first_name, last_name, language, territory, credit_limit, email, account_mgr_id,
  customer_since, customer_class, suggestions, date_of_birth, mailshot, partner_mailshot, preferred_address, preferred_card)
VALUES (:1, :2, :3, 'en', 'EUROPE', 1000, 'somebody@example.com', 1, date('now'), 'Occasional', 'Books', '1980-01-01', 'Y', 'N',
  :4, :5);

-- name: client insert_address
-- what: :1 address, :2 customer
INSERT INTO dbdyno_oe_addresses (address_id, customer_id, date_created, house, street, town, county, country, post_code, zip_code)
VALUES (:1, :2, date('now'), 'Seven Oaks', 'Church Street', 'Newtown', 'Northshire', 'Kenya', 'abcdef', 'abcde');

-- name: client insert_card
-- what: :1 card, :2 customer
INSERT INTO dbdyno_oe_cards (card_id, customer_id, card_type, card_number, expiry_date, is_valid, security_code)
VALUES (:1, :2, 'Debit', 1111222233, date('now', '+730 days'), 'Y', 123);

-- name: client insert_logon
-- what: :1 logon, :2 customer
INSERT INTO dbdyno_oe_logons (logon_id, customer_id, logon_date) VALUES (:1, :2, unixepoch());

-- name: client log_visit
INSERT INTO dbdyno_oe_logons (logon_id, customer_id, logon_date)
VALUES ((SELECT coalesce(max(logon_id), 0) + 1 FROM dbdyno_oe_logons), :1, unixepoch());

-- name: client new_address_key
SELECT (SELECT coalesce(max(address_id), 0) + 1 FROM dbdyno_oe_addresses);

-- name: client prefer_address
-- what: :1 address, :2 customer
UPDATE dbdyno_oe_customers SET preferred_address = :1 WHERE customer_id = :2;

-- name: client new_order_keys
SELECT (SELECT coalesce(max(order_id), 0) + 1 FROM dbdyno_oe_orders), (SELECT coalesce(max(logon_id), 0) + 1 FROM dbdyno_oe_logons);

-- name: client insert_order
-- what: :1 order, :2 customer, :3 warehouse, :4 and :6 address, :5 card; sales representatives take turns by the second
INSERT INTO dbdyno_oe_orders (order_id, order_date, order_mode, customer_id, order_status, order_total, sales_rep_id, promotion_id,
  warehouse_id, delivery_type, cost_of_delivery, wait_till_all_available, delivery_address_id, customer_class, card_id,
  invoice_address_id)
VALUES (:1, unixepoch(), 'online', :2, 0, 0, 1 + unixepoch() % 1000, 1, :3, 'Standard', 2, 'ship_asap', :4, 'Occasional', :5, :6);

-- name: client insert_item
-- what: :1 order, :2 line, :3 pieces, :4 product
INSERT INTO dbdyno_oe_items (order_id, line_item_id, product_id, unit_price, quantity, dispatch_date, return_date, gift_wrap,
  item_condition, supplier_id, estimated_delivery)
SELECT :1, :2, product_id, list_price, :3, date('now'), date('now', '+30 days'), 'None', 'New', supplier_id,
       date('now', '+3 days')
FROM dbdyno_oe_products WHERE product_id = :4;

-- name: client set_total
-- what: :1 and :2 order; nobody else sees it yet
UPDATE dbdyno_oe_orders
SET order_total = (SELECT sum(unit_price * quantity) FROM dbdyno_oe_items WHERE order_id = :1) WHERE order_id = :2;

-- name: client take_stock
-- what: :1 and :4 pieces, :2 product, :3 warehouse; changes nothing where there is not enough
UPDATE dbdyno_oe_inventories SET quantity_on_hand = quantity_on_hand - :1
WHERE product_id = :2 AND warehouse_id = :3 AND quantity_on_hand >= :4;

-- name: client open_orders
-- what: :1 warehouse
SELECT o.order_id, o.order_status, c.first_name, c.last_name,
       (SELECT count(*) FROM dbdyno_oe_items i WHERE i.order_id = o.order_id)
FROM dbdyno_oe_orders o JOIN dbdyno_oe_customers c ON c.customer_id = o.customer_id
WHERE o.warehouse_id = :1 AND o.order_status < 10 ORDER BY o.order_status, o.order_id LIMIT 10;

-- name: client process_order
UPDATE dbdyno_oe_orders SET order_status = order_status + 1 WHERE order_id = :1 AND order_status < 10;

-- name: client customer_orders
SELECT order_id, order_date, order_status, order_total
FROM dbdyno_oe_orders WHERE customer_id = :1 ORDER BY order_id DESC LIMIT 10;

-- name: client order_items
SELECT line_item_id, product_id, unit_price, quantity FROM dbdyno_oe_items WHERE order_id = :1 ORDER BY line_item_id;

-- name: client raise_quantity
-- what: :1 order, :2 line
UPDATE dbdyno_oe_items SET quantity = quantity + 1 WHERE order_id = :1 AND line_item_id = :2;

-- name: client raise_total
-- what: :1 and :3 order, :2 line; by the price of the item, which nobody changes: others may raise the order's total, too
UPDATE dbdyno_oe_orders
SET order_total = order_total + (SELECT unit_price FROM dbdyno_oe_items WHERE order_id = :1 AND line_item_id = :2)
WHERE order_id = :3;

-- name: client sales_rep_orders
-- what: the ten orders of most worth of a sales representative
SELECT o.order_id, o.order_date, o.order_total, c.first_name, c.last_name
FROM dbdyno_oe_orders o JOIN dbdyno_oe_customers c ON c.customer_id = o.customer_id
WHERE o.sales_rep_id = :1 ORDER BY o.order_total DESC, o.order_id LIMIT 10;

-- name: client warehouse_orders
-- what: orders of a warehouse by mode and status, by each of them, and all
WITH seen AS (SELECT order_mode, order_status, order_total FROM dbdyno_oe_orders WHERE warehouse_id = :1)
SELECT order_mode, order_status, count(*) AS orders, sum(order_total) AS total FROM seen GROUP BY order_mode, order_status
UNION ALL SELECT order_mode, NULL, count(*), sum(order_total) FROM seen GROUP BY order_mode
UNION ALL SELECT NULL, order_status, count(*), sum(order_total) FROM seen GROUP BY order_status
UNION ALL SELECT NULL, NULL, count(*), sum(order_total) FROM seen;

-- name: client warehouse_activity
-- what: orders of a warehouse in the last hour, by five minutes
SELECT order_date / 300 * 300 AS from_s, count(*) AS orders, sum(order_total) AS total
FROM dbdyno_oe_orders WHERE warehouse_id = :1 AND order_date >= unixepoch() - 3600
GROUP BY order_date / 300 * 300 ORDER BY from_s;

-- name: no server
-- why: SQLite has no stored procedures
SELECT 1;

-- name: look
-- what: rows of six tables; orders with another total; stocks below zero; items without order, without product;
-- also: none, as there are no sequences; pieces in stock and in orders; the sum of the status; customers with another address
SELECT (SELECT count(*) FROM dbdyno_oe_customers), (SELECT count(*) FROM dbdyno_oe_addresses),
       (SELECT count(*) FROM dbdyno_oe_cards), (SELECT count(*) FROM dbdyno_oe_orders), (SELECT count(*) FROM dbdyno_oe_items),
       (SELECT count(*) FROM dbdyno_oe_logons),
       (SELECT count(*) FROM dbdyno_oe_orders o
        LEFT JOIN (SELECT order_id, sum(unit_price * quantity) AS total FROM dbdyno_oe_items GROUP BY order_id) i
        ON i.order_id = o.order_id WHERE i.total IS NULL OR abs(i.total - o.order_total) > 0.001),
       (SELECT count(*) FROM dbdyno_oe_inventories WHERE quantity_on_hand < 0),
       (SELECT count(*) FROM dbdyno_oe_items i LEFT JOIN dbdyno_oe_orders o ON o.order_id = i.order_id WHERE o.order_id IS NULL),
       (SELECT count(*) FROM dbdyno_oe_items i LEFT JOIN dbdyno_oe_products p ON p.product_id = i.product_id
        WHERE p.product_id IS NULL),
       0,
       (SELECT sum(quantity) FROM dbdyno_oe_items) + (SELECT sum(quantity_on_hand) FROM dbdyno_oe_inventories),
       (SELECT sum(order_status) FROM dbdyno_oe_orders),
       (SELECT count(*) FROM dbdyno_oe_customers c
        LEFT JOIN dbdyno_oe_addresses a ON a.address_id = c.preferred_address AND a.customer_id = c.customer_id
        WHERE a.address_id IS NULL OR (a.address_id <= {addresses_rows} AND c.customer_id IN
         (SELECT customer_id FROM dbdyno_oe_addresses WHERE address_id > {addresses_rows})));

-- name: keys orders
SELECT o.order_id FROM dbdyno_oe_orders o
LEFT JOIN (SELECT order_id, sum(unit_price * quantity) AS total FROM dbdyno_oe_items GROUP BY order_id) i ON i.order_id = o.order_id
WHERE i.total IS NULL OR abs(i.total - o.order_total) > 0.001 ORDER BY o.order_id LIMIT 10;

-- name: keys inventories
-- what: product, a slash and warehouse
SELECT product_id || '/' || warehouse_id FROM dbdyno_oe_inventories WHERE quantity_on_hand < 0
ORDER BY product_id, warehouse_id LIMIT 10;

-- name: keys items without order
-- what: order, a slash and line
SELECT i.order_id || '/' || i.line_item_id FROM dbdyno_oe_items i LEFT JOIN dbdyno_oe_orders o ON o.order_id = i.order_id
WHERE o.order_id IS NULL ORDER BY i.order_id, i.line_item_id LIMIT 10;

-- name: keys items without product
SELECT i.order_id || '/' || i.line_item_id FROM dbdyno_oe_items i LEFT JOIN dbdyno_oe_products p ON p.product_id = i.product_id
WHERE p.product_id IS NULL ORDER BY i.order_id, i.line_item_id LIMIT 10;

-- name: keys sequences
-- what: nothing: there are no sequences
SELECT 1 WHERE 1 = 0;

-- name: keys customers
SELECT c.customer_id FROM dbdyno_oe_customers c
LEFT JOIN dbdyno_oe_addresses a ON a.address_id = c.preferred_address AND a.customer_id = c.customer_id
WHERE a.address_id IS NULL OR (a.address_id <= {addresses_rows} AND c.customer_id IN
  (SELECT customer_id FROM dbdyno_oe_addresses WHERE address_id > {addresses_rows}))
ORDER BY c.customer_id LIMIT 10;

-- name: indexes
-- what: each index of the tables, besides those that are the table itself, as SQLite keeps it
-- made: 18
SELECT sql FROM sqlite_master
WHERE type = 'index' AND sql IS NOT NULL AND tbl_name LIKE 'dbdyno\_oe\_%' ESCAPE '\' ORDER BY name;

-- name: count
-- what: loaded rows of each table, in the order in which they are made
SELECT (SELECT count(*) FROM dbdyno_oe_customers WHERE customer_id <= {customers_rows}),
       (SELECT count(*) FROM dbdyno_oe_addresses WHERE address_id <= {addresses_rows}),
       (SELECT count(*) FROM dbdyno_oe_cards WHERE card_id <= {cards_rows}),
       (SELECT count(*) FROM dbdyno_oe_orders WHERE order_id <= {orders_rows}),
       (SELECT count(*) FROM dbdyno_oe_items WHERE order_id <= {orders_rows}),
       (SELECT count(*) FROM dbdyno_oe_logons WHERE logon_id <= {logons_rows}), (SELECT count(*) FROM dbdyno_oe_inventories),
       (SELECT count(*) FROM dbdyno_oe_products), (SELECT count(*) FROM dbdyno_oe_descriptions),
       (SELECT count(*) FROM dbdyno_oe_warehouses);
