-- Order Entry. Makes the ten tables, five sequences and nine procedures dbdyno.oe_…, and touches nothing else. Proves that every
-- order's total is that of its items, that no stock is below zero, that every item has its order and its product, that sequences
-- are ahead of their keys, and that the tables grew by what was acknowledged.
-- Moments are seconds from 1970-01-01 UTC. Autovacuum is the server's.

-- name: make customers
-- makes: table dbdyno.oe_customers
-- columns: customer_id first_name last_name language territory credit_limit email account_mgr_id customer_since customer_class suggestions date_of_birth mailshot partner_mailshot preferred_address preferred_card
CREATE TABLE dbdyno.oe_customers (
  customer_id bigint NOT NULL, first_name varchar(40) NOT NULL, last_name varchar(40) NOT NULL, language varchar(3) NOT NULL,
  territory varchar(30) NOT NULL, credit_limit numeric(9,2) NOT NULL, email varchar(100) NOT NULL,
  account_mgr_id bigint NOT NULL, customer_since date NOT NULL, customer_class varchar(40) NOT NULL,
  suggestions varchar(40) NOT NULL, date_of_birth date NOT NULL, mailshot varchar(1) NOT NULL,
  partner_mailshot varchar(1) NOT NULL, preferred_address bigint NOT NULL, preferred_card bigint NOT NULL,
  PRIMARY KEY (customer_id)
) WITH (fillfactor = 90);

-- name: make addresses
-- makes: table dbdyno.oe_addresses
-- columns: address_id customer_id date_created house street town county country post_code zip_code
CREATE TABLE dbdyno.oe_addresses (
  address_id bigint NOT NULL, customer_id bigint NOT NULL, date_created date NOT NULL, house varchar(60) NOT NULL,
  street varchar(60) NOT NULL, town varchar(60) NOT NULL, county varchar(60) NOT NULL, country varchar(60) NOT NULL,
  post_code varchar(12) NOT NULL, zip_code varchar(12) NOT NULL, PRIMARY KEY (address_id)
);

-- name: make cards
-- makes: table dbdyno.oe_cards
-- columns: card_id customer_id card_type card_number expiry_date is_valid security_code
CREATE TABLE dbdyno.oe_cards (
  card_id bigint NOT NULL, customer_id bigint NOT NULL, card_type varchar(30) NOT NULL, card_number bigint NOT NULL,
  expiry_date date NOT NULL, is_valid varchar(1) NOT NULL, security_code integer NOT NULL, PRIMARY KEY (card_id)
);

-- name: make orders
-- makes: table dbdyno.oe_orders
-- columns: order_id order_date order_mode customer_id order_status order_total sales_rep_id promotion_id warehouse_id delivery_type cost_of_delivery wait_till_all_available delivery_address_id customer_class card_id invoice_address_id
CREATE TABLE dbdyno.oe_orders (
  order_id bigint NOT NULL, order_date bigint NOT NULL, order_mode varchar(8) NOT NULL, customer_id bigint NOT NULL,
  order_status integer NOT NULL, order_total numeric(12,2) NOT NULL, sales_rep_id bigint NOT NULL,
  promotion_id bigint NOT NULL, warehouse_id bigint NOT NULL, delivery_type varchar(15) NOT NULL,
  cost_of_delivery numeric(8,2) NOT NULL, wait_till_all_available varchar(15) NOT NULL, delivery_address_id bigint NOT NULL,
  customer_class varchar(40) NOT NULL, card_id bigint NOT NULL, invoice_address_id bigint NOT NULL, PRIMARY KEY (order_id)
) WITH (fillfactor = 90);

-- name: make items
-- makes: table dbdyno.oe_items
-- columns: order_id line_item_id product_id unit_price quantity dispatch_date return_date gift_wrap item_condition supplier_id estimated_delivery
CREATE TABLE dbdyno.oe_items (
  order_id bigint NOT NULL, line_item_id integer NOT NULL, product_id bigint NOT NULL, unit_price numeric(8,2) NOT NULL,
  quantity integer NOT NULL, dispatch_date date NOT NULL, return_date date NOT NULL, gift_wrap varchar(20) NOT NULL,
  item_condition varchar(20) NOT NULL, supplier_id bigint NOT NULL, estimated_delivery date NOT NULL,
  PRIMARY KEY (order_id, line_item_id)
);

-- name: make logons
-- makes: table dbdyno.oe_logons
-- columns: logon_id customer_id logon_date
CREATE TABLE dbdyno.oe_logons (
  logon_id bigint NOT NULL, customer_id bigint NOT NULL, logon_date bigint NOT NULL, PRIMARY KEY (logon_id)
);

-- name: make inventories
-- makes: table dbdyno.oe_inventories
-- columns: product_id warehouse_id quantity_on_hand
CREATE TABLE dbdyno.oe_inventories (
  product_id bigint NOT NULL, warehouse_id bigint NOT NULL, quantity_on_hand integer NOT NULL,
  PRIMARY KEY (product_id, warehouse_id)
) WITH (fillfactor = 50);

-- name: make products
-- makes: table dbdyno.oe_products
-- columns: product_id product_name product_description category_id weight_class warranty_months supplier_id product_status list_price min_price catalog_url
CREATE TABLE dbdyno.oe_products (
  product_id bigint NOT NULL, product_name varchar(50) NOT NULL, product_description varchar(100) NOT NULL,
  category_id integer NOT NULL, weight_class integer NOT NULL, warranty_months integer NOT NULL, supplier_id bigint NOT NULL,
  product_status varchar(20) NOT NULL, list_price numeric(8,2) NOT NULL, min_price numeric(8,2) NOT NULL,
  catalog_url varchar(50) NOT NULL, PRIMARY KEY (product_id)
);

-- name: make descriptions
-- makes: table dbdyno.oe_descriptions
-- columns: product_id language_id translated_name translated_description
CREATE TABLE dbdyno.oe_descriptions (
  product_id bigint NOT NULL, language_id varchar(3) NOT NULL, translated_name varchar(50) NOT NULL,
  translated_description varchar(200) NOT NULL, PRIMARY KEY (product_id, language_id)
);

-- name: make warehouses
-- makes: table dbdyno.oe_warehouses
-- columns: warehouse_id warehouse_name location_id
CREATE TABLE dbdyno.oe_warehouses (
  warehouse_id bigint NOT NULL, warehouse_name varchar(35) NOT NULL, location_id integer NOT NULL, PRIMARY KEY (warehouse_id)
);

-- name: make customer_seq
-- makes: sequence dbdyno.oe_customer_seq
CREATE SEQUENCE dbdyno.oe_customer_seq START WITH {customers_next} CACHE 100;

-- name: make address_seq
-- makes: sequence dbdyno.oe_address_seq
CREATE SEQUENCE dbdyno.oe_address_seq START WITH {addresses_next} CACHE 100;

-- name: make card_seq
-- makes: sequence dbdyno.oe_card_seq
CREATE SEQUENCE dbdyno.oe_card_seq START WITH {cards_next} CACHE 100;

-- name: make order_seq
-- makes: sequence dbdyno.oe_order_seq
CREATE SEQUENCE dbdyno.oe_order_seq START WITH {orders_next} CACHE 100;

-- name: make logon_seq
-- makes: sequence dbdyno.oe_logon_seq
CREATE SEQUENCE dbdyno.oe_logon_seq START WITH {logons_next} CACHE 100;

-- name: make register
-- makes: procedure dbdyno.oe_register
CREATE PROCEDURE dbdyno.oe_register(p_first text, p_last text, INOUT p_done integer DEFAULT 1) LANGUAGE plpgsql AS $$
DECLARE
  v_customer bigint := nextval('dbdyno.oe_customer_seq');
  v_address bigint := nextval('dbdyno.oe_address_seq');
  v_card bigint := nextval('dbdyno.oe_card_seq');
BEGIN
  INSERT INTO dbdyno.oe_customers (customer_id, first_name, last_name, language, territory, credit_limit, email, account_mgr_id,
    customer_since, customer_class, suggestions, date_of_birth, mailshot, partner_mailshot, preferred_address, preferred_card)
  VALUES (v_customer, p_first, p_last, 'en', 'EUROPE', 1000, 'somebody@example.com', 1, CURRENT_DATE, 'Occasional', 'Books',
    DATE '1980-01-01', 'Y', 'N', v_address, v_card);
  INSERT INTO dbdyno.oe_addresses (address_id, customer_id, date_created, house, street, town, county, country, post_code, zip_code)
  VALUES (v_address, v_customer, CURRENT_DATE, 'Seven Oaks', 'Church Street', 'Newtown', 'Northshire', 'Kenya', 'abcdef', 'abcde');
  INSERT INTO dbdyno.oe_cards (card_id, customer_id, card_type, card_number, expiry_date, is_valid, security_code)
  VALUES (v_card, v_customer, 'Debit', 1111222233, CURRENT_DATE + 730, 'Y', 123);
  INSERT INTO dbdyno.oe_logons (logon_id, customer_id, logon_date)
  VALUES (nextval('dbdyno.oe_logon_seq'), v_customer, extract(epoch FROM now())::bigint);
  PERFORM preferred_address, preferred_card, first_name, last_name, email, customer_class, credit_limit
  FROM dbdyno.oe_customers WHERE customer_id = v_customer;
END
$$;

-- name: make update_customer
-- makes: procedure dbdyno.oe_update_customer
CREATE PROCEDURE dbdyno.oe_update_customer(p_last text, p_first text, INOUT p_done integer DEFAULT 1) LANGUAGE plpgsql AS $$
DECLARE
  v_customer bigint;
  v_address bigint;
BEGIN
  SELECT customer_id INTO v_customer
  FROM dbdyno.oe_customers WHERE lower(last_name) = lower(p_last) AND lower(first_name) = lower(p_first)
  ORDER BY customer_id LIMIT 1;
  IF v_customer IS NULL THEN
    p_done := 0;
    RETURN;
  END IF;
  v_address := nextval('dbdyno.oe_address_seq');
  INSERT INTO dbdyno.oe_addresses (address_id, customer_id, date_created, house, street, town, county, country, post_code, zip_code)
  VALUES (v_address, v_customer, CURRENT_DATE, 'Seven Oaks', 'Church Street', 'Newtown', 'Northshire', 'Kenya', 'abcdef', 'abcde');
  UPDATE dbdyno.oe_customers SET preferred_address = v_address WHERE customer_id = v_customer;
END
$$;

-- name: make browse_products
-- makes: procedure dbdyno.oe_browse_products
-- what: looks at p_looks products that lie 37 apart, from p_product on
CREATE PROCEDURE dbdyno.oe_browse_products(p_customer bigint, p_product bigint, p_looks bigint, INOUT p_done integer DEFAULT 1)
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM preferred_address, preferred_card, first_name, last_name, email, customer_class, credit_limit
  FROM dbdyno.oe_customers WHERE customer_id = p_customer;
  FOR n IN 0 .. p_looks - 1 LOOP
    PERFORM i.warehouse_id, i.quantity_on_hand, p.product_name, p.product_description, p.list_price
    FROM dbdyno.oe_products p JOIN dbdyno.oe_inventories i ON i.product_id = p.product_id
    WHERE p.product_id = 1 + (p_product + 37 * n) % 900 AND i.quantity_on_hand > 0 ORDER BY i.warehouse_id LIMIT 15;
  END LOOP;
  INSERT INTO dbdyno.oe_logons (logon_id, customer_id, logon_date)
  VALUES (nextval('dbdyno.oe_logon_seq'), p_customer, extract(epoch FROM now())::bigint);
END
$$;

-- name: make order_products
-- makes: procedure dbdyno.oe_order_products
-- what: an item of each of p_looks categories that lie 13 apart, from p_category on; p_pick decides which, and how many pieces
CREATE PROCEDURE dbdyno.oe_order_products(
  p_customer bigint, p_warehouse bigint, p_category bigint, p_looks bigint, p_pick bigint, INOUT p_done integer DEFAULT 0
) LANGUAGE plpgsql AS $$
DECLARE
  v_order bigint;
  v_address bigint;
  v_card bigint;
  v_product bigint;
  v_stock integer;
  v_products bigint[] := '{}';
BEGIN
  PERFORM preferred_address, preferred_card, first_name, last_name, email, customer_class, credit_limit
  FROM dbdyno.oe_customers WHERE customer_id = p_customer;
  SELECT address_id INTO v_address FROM dbdyno.oe_addresses WHERE customer_id = p_customer ORDER BY address_id LIMIT 1;
  SELECT card_id INTO v_card FROM dbdyno.oe_cards WHERE customer_id = p_customer ORDER BY card_id LIMIT 1;
  FOR n IN 0 .. p_looks - 1 LOOP
    SELECT p.product_id, i.quantity_on_hand INTO v_product, v_stock
    FROM dbdyno.oe_products p JOIN dbdyno.oe_inventories i ON i.product_id = p.product_id
    WHERE p.category_id = 1 + (p_category + 13 * n) % 100 AND i.warehouse_id = p_warehouse AND i.quantity_on_hand > 0
    ORDER BY p.product_id OFFSET (p_pick + n) % 4 LIMIT 1;
    IF FOUND AND v_stock >= 1 + v_product % 8 THEN
      v_products := v_products || v_product;
    END IF;
  END LOOP;
  IF v_products = '{}' THEN
    RETURN;
  END IF;
  -- Whoever takes stock takes it in this order.
  v_products := ARRAY(SELECT p FROM unnest(v_products) AS p ORDER BY p);
  v_order := nextval('dbdyno.oe_order_seq');
  INSERT INTO dbdyno.oe_logons (logon_id, customer_id, logon_date)
  VALUES (nextval('dbdyno.oe_logon_seq'), p_customer, extract(epoch FROM now())::bigint);
  INSERT INTO dbdyno.oe_orders (order_id, order_date, order_mode, customer_id, order_status, order_total, sales_rep_id, promotion_id,
    warehouse_id, delivery_type, cost_of_delivery, wait_till_all_available, delivery_address_id, customer_class, card_id,
    invoice_address_id)
  VALUES (v_order, extract(epoch FROM now())::bigint, 'online', p_customer, 0, 0, 1 + extract(epoch FROM now())::bigint % 1000, 1, p_warehouse, 'Standard', 2, 'ship_asap',
    v_address, 'Occasional', v_card, v_address);
  FOR n IN 1 .. cardinality(v_products) LOOP
    INSERT INTO dbdyno.oe_items (order_id, line_item_id, product_id, unit_price, quantity, dispatch_date, return_date, gift_wrap,
      item_condition, supplier_id, estimated_delivery)
    SELECT v_order, n, product_id, list_price, 1 + product_id % 8, CURRENT_DATE, CURRENT_DATE + 30, 'None', 'New', supplier_id,
           CURRENT_DATE + 3
    FROM dbdyno.oe_products WHERE product_id = v_products[n];
  END LOOP;
  UPDATE dbdyno.oe_orders
  SET order_total = (SELECT sum(unit_price * quantity) FROM dbdyno.oe_items WHERE order_id = v_order) WHERE order_id = v_order;
  FOREACH v_product IN ARRAY v_products LOOP
    UPDATE dbdyno.oe_inventories SET quantity_on_hand = quantity_on_hand - (1 + v_product % 8)
    WHERE product_id = v_product AND warehouse_id = p_warehouse AND quantity_on_hand >= 1 + v_product % 8;
    IF NOT FOUND THEN
      ROLLBACK;
      RETURN;
    END IF;
  END LOOP;
  p_done := cardinality(v_products);
END
$$;

-- name: make process_orders
-- makes: procedure dbdyno.oe_process_orders
CREATE PROCEDURE dbdyno.oe_process_orders(p_warehouse bigint, INOUT p_done integer DEFAULT 0) LANGUAGE plpgsql AS $$
DECLARE
  v_orders bigint[];
  v_order bigint;
BEGIN
  v_orders := ARRAY(
    SELECT o.order_id FROM dbdyno.oe_orders o JOIN dbdyno.oe_customers c ON c.customer_id = o.customer_id
    WHERE o.warehouse_id = p_warehouse AND o.order_status < 10 ORDER BY o.order_status, o.order_id LIMIT 10);
  v_orders := ARRAY(SELECT o FROM unnest(v_orders) AS o ORDER BY o);
  FOREACH v_order IN ARRAY v_orders LOOP
    PERFORM count(*) FROM dbdyno.oe_items WHERE order_id = v_order;
    UPDATE dbdyno.oe_orders SET order_status = order_status + 1 WHERE order_id = v_order AND order_status < 10;
    IF FOUND THEN
      p_done := p_done + 1;
    END IF;
  END LOOP;
END
$$;

-- name: make browse_orders
-- makes: procedure dbdyno.oe_browse_orders
-- what: p_pick decides which of the customer's orders, and which item
CREATE PROCEDURE dbdyno.oe_browse_orders(p_customer bigint, p_pick bigint, INOUT p_done integer DEFAULT 0) LANGUAGE plpgsql AS $$
DECLARE
  v_orders bigint[];
  v_order bigint;
  v_lines integer[];
  v_line integer;
BEGIN
  PERFORM preferred_address, preferred_card, first_name, last_name, email, customer_class, credit_limit
  FROM dbdyno.oe_customers WHERE customer_id = p_customer;
  PERFORM address_id, house, street, town, county, country, post_code, zip_code
  FROM dbdyno.oe_addresses WHERE customer_id = p_customer ORDER BY address_id LIMIT 5;
  v_orders := ARRAY(SELECT order_id FROM dbdyno.oe_orders WHERE customer_id = p_customer ORDER BY order_id DESC LIMIT 10);
  IF v_orders = '{}' THEN
    RETURN;
  END IF;
  v_order := v_orders[1 + p_pick % cardinality(v_orders)];
  v_lines := ARRAY(SELECT line_item_id FROM dbdyno.oe_items WHERE order_id = v_order ORDER BY line_item_id);
  v_line := v_lines[1 + p_pick % cardinality(v_lines)];
  UPDATE dbdyno.oe_items SET quantity = quantity + 1 WHERE order_id = v_order AND line_item_id = v_line;
  UPDATE dbdyno.oe_orders
  SET order_total = order_total + (SELECT unit_price FROM dbdyno.oe_items WHERE order_id = v_order AND line_item_id = v_line)
  WHERE order_id = v_order;
  p_done := 1;
END
$$;

-- name: make sales_rep_query
-- makes: procedure dbdyno.oe_sales_rep_query
CREATE PROCEDURE dbdyno.oe_sales_rep_query(p_sales_rep bigint, INOUT p_done integer DEFAULT 1) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM o.order_id, o.order_date, o.order_total, c.first_name, c.last_name
  FROM dbdyno.oe_orders o JOIN dbdyno.oe_customers c ON c.customer_id = o.customer_id
  WHERE o.sales_rep_id = p_sales_rep ORDER BY o.order_total DESC, o.order_id LIMIT 10;
END
$$;

-- name: make warehouse_orders_query
-- makes: procedure dbdyno.oe_warehouse_orders_query
CREATE PROCEDURE dbdyno.oe_warehouse_orders_query(p_warehouse bigint, INOUT p_done integer DEFAULT 1) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM order_mode, order_status, count(*) AS orders, sum(order_total) AS total
  FROM dbdyno.oe_orders WHERE warehouse_id = p_warehouse GROUP BY CUBE (order_mode, order_status)
  ORDER BY order_mode, order_status;
END
$$;

-- name: make warehouse_activity_query
-- makes: procedure dbdyno.oe_warehouse_activity_query
CREATE PROCEDURE dbdyno.oe_warehouse_activity_query(p_warehouse bigint, INOUT p_done integer DEFAULT 1) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM order_date / 300 * 300 AS from_s, count(*) AS orders, sum(order_total) AS total
  FROM dbdyno.oe_orders WHERE warehouse_id = p_warehouse AND order_date >= extract(epoch FROM now())::bigint - 3600
  GROUP BY order_date / 300 * 300 ORDER BY from_s;
END
$$;

-- name: index customers_name
CREATE INDEX IF NOT EXISTS oe_customers_name ON dbdyno.oe_customers (lower(last_name), lower(first_name));

-- name: index customers_email
CREATE INDEX IF NOT EXISTS oe_customers_email ON dbdyno.oe_customers (email);

-- name: index customers_manager
CREATE INDEX IF NOT EXISTS oe_customers_manager ON dbdyno.oe_customers (account_mgr_id);

-- name: index addresses_customer
CREATE INDEX IF NOT EXISTS oe_addresses_customer ON dbdyno.oe_addresses (customer_id);

-- name: index cards_customer
CREATE INDEX IF NOT EXISTS oe_cards_customer ON dbdyno.oe_cards (customer_id);

-- name: index orders_customer
CREATE INDEX IF NOT EXISTS oe_orders_customer ON dbdyno.oe_orders (customer_id);

-- name: index orders_warehouse
CREATE INDEX IF NOT EXISTS oe_orders_warehouse ON dbdyno.oe_orders (warehouse_id, order_status, order_id);

-- name: index orders_sales_rep
CREATE INDEX IF NOT EXISTS oe_orders_sales_rep ON dbdyno.oe_orders (sales_rep_id);

-- name: index orders_date
CREATE INDEX IF NOT EXISTS oe_orders_date ON dbdyno.oe_orders (order_date);

-- name: index items_product
CREATE INDEX IF NOT EXISTS oe_items_product ON dbdyno.oe_items (product_id);

-- name: index logons_customer
CREATE INDEX IF NOT EXISTS oe_logons_customer ON dbdyno.oe_logons (customer_id);

-- name: index logons_date
CREATE INDEX IF NOT EXISTS oe_logons_date ON dbdyno.oe_logons (logon_date);

-- name: index inventories_warehouse
CREATE INDEX IF NOT EXISTS oe_inventories_warehouse ON dbdyno.oe_inventories (warehouse_id);

-- name: index products_category
CREATE INDEX IF NOT EXISTS oe_products_category ON dbdyno.oe_products (category_id);

-- name: index products_supplier
CREATE INDEX IF NOT EXISTS oe_products_supplier ON dbdyno.oe_products (supplier_id);

-- name: index products_name
CREATE INDEX IF NOT EXISTS oe_products_name ON dbdyno.oe_products (product_name);

-- name: index descriptions_name
CREATE INDEX IF NOT EXISTS oe_descriptions_name ON dbdyno.oe_descriptions (translated_name);

-- name: index warehouses_location
CREATE INDEX IF NOT EXISTS oe_warehouses_location ON dbdyno.oe_warehouses (location_id);

-- name: finish vacuum_customers
VACUUM ANALYZE dbdyno.oe_customers;

-- name: finish vacuum_addresses
VACUUM ANALYZE dbdyno.oe_addresses;

-- name: finish vacuum_cards
VACUUM ANALYZE dbdyno.oe_cards;

-- name: finish vacuum_orders
VACUUM ANALYZE dbdyno.oe_orders;

-- name: finish vacuum_items
VACUUM ANALYZE dbdyno.oe_items;

-- name: finish vacuum_logons
VACUUM ANALYZE dbdyno.oe_logons;

-- name: finish vacuum_inventories
VACUUM ANALYZE dbdyno.oe_inventories;

-- name: finish vacuum_products
VACUUM ANALYZE dbdyno.oe_products;

-- name: finish vacuum_descriptions
VACUUM ANALYZE dbdyno.oe_descriptions;

-- name: finish vacuum_warehouses
VACUUM ANALYZE dbdyno.oe_warehouses;

-- name: rest inventories
-- what: transactions change rows of these tables
VACUUM dbdyno.oe_inventories;

-- name: rest orders
VACUUM dbdyno.oe_orders;

-- name: rest items
VACUUM dbdyno.oe_items;

-- name: rest customers
VACUUM dbdyno.oe_customers;

-- name: client find_customer
SELECT preferred_address, preferred_card, first_name, last_name, email, customer_class, credit_limit
FROM dbdyno.oe_customers WHERE customer_id = :1;

-- name: client customer_addresses
SELECT address_id, house, street, town, county, country, post_code, zip_code
FROM dbdyno.oe_addresses WHERE customer_id = :1 ORDER BY address_id LIMIT 5;

-- name: client customer_cards
SELECT card_id, card_type, card_number, expiry_date, is_valid
FROM dbdyno.oe_cards WHERE customer_id = :1 ORDER BY card_id LIMIT 5;

-- name: client customer_by_name
-- what: :1 last name, :2 first name
SELECT customer_id, email, territory, customer_class
FROM dbdyno.oe_customers WHERE lower(last_name) = lower(:1) AND lower(first_name) = lower(:2) ORDER BY customer_id LIMIT 5;

-- name: client browse_product
SELECT i.warehouse_id, i.quantity_on_hand, p.product_name, p.product_description, p.list_price
FROM dbdyno.oe_products p JOIN dbdyno.oe_inventories i ON i.product_id = p.product_id
WHERE p.product_id = :1 AND i.quantity_on_hand > 0 ORDER BY i.warehouse_id LIMIT 15;

-- name: client browse_category
-- what: :1 category, :2 warehouse
SELECT p.product_id, i.quantity_on_hand, p.product_name, p.list_price
FROM dbdyno.oe_products p JOIN dbdyno.oe_inventories i ON i.product_id = p.product_id
WHERE p.category_id = :1 AND i.warehouse_id = :2 AND i.quantity_on_hand > 0 ORDER BY p.product_id LIMIT 4;

-- name: client new_customer_keys
SELECT nextval('dbdyno.oe_customer_seq'), nextval('dbdyno.oe_address_seq'), nextval('dbdyno.oe_card_seq'),
       nextval('dbdyno.oe_logon_seq');

-- name: client insert_customer
-- what: :1 customer, :2 first name, :3 last name, :4 address, :5 card
INSERT INTO dbdyno.oe_customers (customer_id, first_name, last_name, language, territory, credit_limit, email, account_mgr_id,
  customer_since, customer_class, suggestions, date_of_birth, mailshot, partner_mailshot, preferred_address, preferred_card)
VALUES (:1, :2, :3, 'en', 'EUROPE', 1000, 'somebody@example.com', 1, CURRENT_DATE, 'Occasional', 'Books', DATE '1980-01-01', 'Y', 'N',
  :4, :5);

-- name: client insert_address
-- what: :1 address, :2 customer
INSERT INTO dbdyno.oe_addresses (address_id, customer_id, date_created, house, street, town, county, country, post_code, zip_code)
VALUES (:1, :2, CURRENT_DATE, 'Seven Oaks', 'Church Street', 'Newtown', 'Northshire', 'Kenya', 'abcdef', 'abcde');

-- name: client insert_card
-- what: :1 card, :2 customer
INSERT INTO dbdyno.oe_cards (card_id, customer_id, card_type, card_number, expiry_date, is_valid, security_code)
VALUES (:1, :2, 'Debit', 1111222233, CURRENT_DATE + 730, 'Y', 123);

-- name: client insert_logon
-- what: :1 logon, :2 customer
INSERT INTO dbdyno.oe_logons (logon_id, customer_id, logon_date) VALUES (:1, :2, extract(epoch FROM now())::bigint);

-- name: client log_visit
INSERT INTO dbdyno.oe_logons (logon_id, customer_id, logon_date)
VALUES (nextval('dbdyno.oe_logon_seq'), :1, extract(epoch FROM now())::bigint);

-- name: client new_address_key
SELECT nextval('dbdyno.oe_address_seq');

-- name: client prefer_address
-- what: :1 address, :2 customer
UPDATE dbdyno.oe_customers SET preferred_address = :1 WHERE customer_id = :2;

-- name: client new_order_keys
SELECT nextval('dbdyno.oe_order_seq'), nextval('dbdyno.oe_logon_seq');

-- name: client insert_order
-- what: :1 order, :2 customer, :3 warehouse, :4 and :6 address, :5 card; sales representatives take turns by the second
INSERT INTO dbdyno.oe_orders (order_id, order_date, order_mode, customer_id, order_status, order_total, sales_rep_id, promotion_id,
  warehouse_id, delivery_type, cost_of_delivery, wait_till_all_available, delivery_address_id, customer_class, card_id,
  invoice_address_id)
VALUES (:1, extract(epoch FROM now())::bigint, 'online', :2, 0, 0, 1 + extract(epoch FROM now())::bigint % 1000, 1, :3, 'Standard', 2, 'ship_asap', :4, 'Occasional', :5, :6);

-- name: client insert_item
-- what: :1 order, :2 line, :3 pieces, :4 product
INSERT INTO dbdyno.oe_items (order_id, line_item_id, product_id, unit_price, quantity, dispatch_date, return_date, gift_wrap,
  item_condition, supplier_id, estimated_delivery)
SELECT :1::bigint, :2::integer, product_id, list_price, :3::integer, CURRENT_DATE, CURRENT_DATE + 30, 'None', 'New', supplier_id,
       CURRENT_DATE + 3
FROM dbdyno.oe_products WHERE product_id = :4;

-- name: client set_total
-- what: :1 and :2 order; nobody else sees it yet
UPDATE dbdyno.oe_orders
SET order_total = (SELECT sum(unit_price * quantity) FROM dbdyno.oe_items WHERE order_id = :1) WHERE order_id = :2;

-- name: client take_stock
-- what: :1 and :4 pieces, :2 product, :3 warehouse; changes nothing where there is not enough
UPDATE dbdyno.oe_inventories SET quantity_on_hand = quantity_on_hand - :1
WHERE product_id = :2 AND warehouse_id = :3 AND quantity_on_hand >= :4;

-- name: client open_orders
-- what: :1 warehouse
SELECT o.order_id, o.order_status, c.first_name, c.last_name,
       (SELECT count(*) FROM dbdyno.oe_items i WHERE i.order_id = o.order_id)
FROM dbdyno.oe_orders o JOIN dbdyno.oe_customers c ON c.customer_id = o.customer_id
WHERE o.warehouse_id = :1 AND o.order_status < 10 ORDER BY o.order_status, o.order_id LIMIT 10;

-- name: client process_order
UPDATE dbdyno.oe_orders SET order_status = order_status + 1 WHERE order_id = :1 AND order_status < 10;

-- name: client customer_orders
SELECT order_id, order_date, order_status, order_total
FROM dbdyno.oe_orders WHERE customer_id = :1 ORDER BY order_id DESC LIMIT 10;

-- name: client order_items
SELECT line_item_id, product_id, unit_price, quantity FROM dbdyno.oe_items WHERE order_id = :1 ORDER BY line_item_id;

-- name: client raise_quantity
-- what: :1 order, :2 line
UPDATE dbdyno.oe_items SET quantity = quantity + 1 WHERE order_id = :1 AND line_item_id = :2;

-- name: client raise_total
-- what: :1 and :3 order, :2 line; by the price of the item, which nobody changes: others may raise the order's total, too
UPDATE dbdyno.oe_orders
SET order_total = order_total + (SELECT unit_price FROM dbdyno.oe_items WHERE order_id = :1 AND line_item_id = :2)
WHERE order_id = :3;

-- name: client sales_rep_orders
-- what: the ten orders of most worth of a sales representative
SELECT o.order_id, o.order_date, o.order_total, c.first_name, c.last_name
FROM dbdyno.oe_orders o JOIN dbdyno.oe_customers c ON c.customer_id = o.customer_id
WHERE o.sales_rep_id = :1 ORDER BY o.order_total DESC, o.order_id LIMIT 10;

-- name: client warehouse_orders
-- what: orders of a warehouse by mode and status, by each of them, and all
SELECT order_mode, order_status, count(*) AS orders, sum(order_total) AS total
FROM dbdyno.oe_orders WHERE warehouse_id = :1 GROUP BY CUBE (order_mode, order_status) ORDER BY order_mode, order_status;

-- name: client warehouse_activity
-- what: orders of a warehouse in the last hour, by five minutes
SELECT order_date / 300 * 300 AS from_s, count(*) AS orders, sum(order_total) AS total
FROM dbdyno.oe_orders WHERE warehouse_id = :1 AND order_date >= extract(epoch FROM now())::bigint - 3600
GROUP BY order_date / 300 * 300 ORDER BY from_s;

-- name: server register
-- what: :1 first name, :2 last name; each call answers with 0 where there was nothing to do
CALL dbdyno.oe_register(:1, :2);

-- name: server update_customer
-- what: :1 last name, :2 first name
CALL dbdyno.oe_update_customer(:1, :2);

-- name: server browse_products
-- what: :1 customer, :2 first product, :3 how many
CALL dbdyno.oe_browse_products(:1, :2, :3);

-- name: server order_products
-- what: :1 customer, :2 warehouse, :3 first category, :4 how many, :5 what is picked; answers with the number of items
CALL dbdyno.oe_order_products(:1, :2, :3, :4, :5);

-- name: server process_orders
-- what: :1 warehouse
CALL dbdyno.oe_process_orders(:1);

-- name: server browse_orders
-- what: :1 customer, :2 what is picked
CALL dbdyno.oe_browse_orders(:1, :2);

-- name: server sales_rep_query
-- what: :1 sales representative
CALL dbdyno.oe_sales_rep_query(:1);

-- name: server warehouse_orders_query
-- what: :1 warehouse
CALL dbdyno.oe_warehouse_orders_query(:1);

-- name: server warehouse_activity_query
-- what: :1 warehouse
CALL dbdyno.oe_warehouse_activity_query(:1);

-- name: look
-- what: rows of six tables; orders with another total; stocks below zero; items without order, without product;
-- also: sequences behind their keys; pieces in stock and in orders; the sum of the status; customers with another address
SELECT (SELECT count(*) FROM dbdyno.oe_customers), (SELECT count(*) FROM dbdyno.oe_addresses),
       (SELECT count(*) FROM dbdyno.oe_cards), (SELECT count(*) FROM dbdyno.oe_orders), (SELECT count(*) FROM dbdyno.oe_items),
       (SELECT count(*) FROM dbdyno.oe_logons),
       (SELECT count(*) FROM dbdyno.oe_orders o
        LEFT JOIN (SELECT order_id, sum(unit_price * quantity) AS total FROM dbdyno.oe_items GROUP BY order_id) i
        ON i.order_id = o.order_id WHERE i.total IS DISTINCT FROM o.order_total),
       (SELECT count(*) FROM dbdyno.oe_inventories WHERE quantity_on_hand < 0),
       (SELECT count(*) FROM dbdyno.oe_items i LEFT JOIN dbdyno.oe_orders o ON o.order_id = i.order_id WHERE o.order_id IS NULL),
       (SELECT count(*) FROM dbdyno.oe_items i LEFT JOIN dbdyno.oe_products p ON p.product_id = i.product_id
        WHERE p.product_id IS NULL),
       (SELECT count(*) FROM (
          SELECT (SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END FROM dbdyno.oe_customer_seq) AS seq,
                 (SELECT max(customer_id) FROM dbdyno.oe_customers) AS key
          UNION ALL SELECT (SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END FROM dbdyno.oe_address_seq),
                 (SELECT max(address_id) FROM dbdyno.oe_addresses)
          UNION ALL SELECT (SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END FROM dbdyno.oe_card_seq),
                 (SELECT max(card_id) FROM dbdyno.oe_cards)
          UNION ALL SELECT (SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END FROM dbdyno.oe_order_seq),
                 (SELECT max(order_id) FROM dbdyno.oe_orders)
          UNION ALL SELECT (SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END FROM dbdyno.oe_logon_seq),
                 (SELECT max(logon_id) FROM dbdyno.oe_logons)) AS pairs
        WHERE seq < key),
       (SELECT sum(quantity) FROM dbdyno.oe_items) + (SELECT sum(quantity_on_hand) FROM dbdyno.oe_inventories),
       (SELECT sum(order_status) FROM dbdyno.oe_orders),
       (SELECT count(*) FROM dbdyno.oe_customers c
        LEFT JOIN dbdyno.oe_addresses a ON a.address_id = c.preferred_address AND a.customer_id = c.customer_id
        WHERE a.address_id IS NULL OR (a.address_id <= {addresses_rows} AND c.customer_id IN
         (SELECT customer_id FROM dbdyno.oe_addresses WHERE address_id > {addresses_rows})));

-- name: keys orders
SELECT o.order_id FROM dbdyno.oe_orders o
LEFT JOIN (SELECT order_id, sum(unit_price * quantity) AS total FROM dbdyno.oe_items GROUP BY order_id) i ON i.order_id = o.order_id
WHERE i.total IS DISTINCT FROM o.order_total ORDER BY o.order_id LIMIT 10;

-- name: keys inventories
-- what: product, a slash and warehouse
SELECT product_id || '/' || warehouse_id FROM dbdyno.oe_inventories WHERE quantity_on_hand < 0
ORDER BY product_id, warehouse_id LIMIT 10;

-- name: keys items without order
-- what: order, a slash and line
SELECT i.order_id || '/' || i.line_item_id FROM dbdyno.oe_items i LEFT JOIN dbdyno.oe_orders o ON o.order_id = i.order_id
WHERE o.order_id IS NULL ORDER BY i.order_id, i.line_item_id LIMIT 10;

-- name: keys items without product
SELECT i.order_id || '/' || i.line_item_id FROM dbdyno.oe_items i LEFT JOIN dbdyno.oe_products p ON p.product_id = i.product_id
WHERE p.product_id IS NULL ORDER BY i.order_id, i.line_item_id LIMIT 10;

-- name: keys sequences
-- what: tables whose sequence is behind, with their highest keys
SELECT name || high FROM (
  SELECT 'customers ' AS name, (SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END FROM dbdyno.oe_customer_seq) AS seq,
         (SELECT max(customer_id) FROM dbdyno.oe_customers) AS high
  UNION ALL SELECT 'addresses ', (SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END FROM dbdyno.oe_address_seq),
         (SELECT max(address_id) FROM dbdyno.oe_addresses)
  UNION ALL SELECT 'cards ', (SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END FROM dbdyno.oe_card_seq),
         (SELECT max(card_id) FROM dbdyno.oe_cards)
  UNION ALL SELECT 'orders ', (SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END FROM dbdyno.oe_order_seq),
         (SELECT max(order_id) FROM dbdyno.oe_orders)
  UNION ALL SELECT 'logons ', (SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END FROM dbdyno.oe_logon_seq),
         (SELECT max(logon_id) FROM dbdyno.oe_logons)) AS pairs
WHERE seq < high;

-- name: keys customers
SELECT c.customer_id FROM dbdyno.oe_customers c
LEFT JOIN dbdyno.oe_addresses a ON a.address_id = c.preferred_address AND a.customer_id = c.customer_id
WHERE a.address_id IS NULL OR (a.address_id <= {addresses_rows} AND c.customer_id IN
  (SELECT customer_id FROM dbdyno.oe_addresses WHERE address_id > {addresses_rows}))
ORDER BY c.customer_id LIMIT 10;

-- name: indexes
-- what: each index of the tables, that statements can use, as the server describes it
-- made: 28
SELECT pg_get_indexdef(i.indexrelid)
FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid JOIN pg_namespace s ON s.oid = t.relnamespace
WHERE s.nspname = 'dbdyno' AND i.indisvalid AND t.relname IN (
  'oe_customers', 'oe_addresses', 'oe_cards', 'oe_orders', 'oe_items', 'oe_logons', 'oe_inventories',
  'oe_products', 'oe_descriptions', 'oe_warehouses')
ORDER BY 1;

-- name: count
-- what: loaded rows of each table, in the order in which they are made
SELECT (SELECT count(*) FROM dbdyno.oe_customers WHERE customer_id <= {customers_rows}),
       (SELECT count(*) FROM dbdyno.oe_addresses WHERE address_id <= {addresses_rows}),
       (SELECT count(*) FROM dbdyno.oe_cards WHERE card_id <= {cards_rows}),
       (SELECT count(*) FROM dbdyno.oe_orders WHERE order_id <= {orders_rows}),
       (SELECT count(*) FROM dbdyno.oe_items WHERE order_id <= {orders_rows}),
       (SELECT count(*) FROM dbdyno.oe_logons WHERE logon_id <= {logons_rows}), (SELECT count(*) FROM dbdyno.oe_inventories),
       (SELECT count(*) FROM dbdyno.oe_products), (SELECT count(*) FROM dbdyno.oe_descriptions),
       (SELECT count(*) FROM dbdyno.oe_warehouses);
