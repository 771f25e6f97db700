-- Order Entry. Makes the ten tables, five sequences and nine procedures oe_… in the database that the target names, and touches
-- nothing else. Proves that every order's total is that of its items, that no stock is below zero, that every item has its order
-- and its product, that sequences are ahead of their keys, and that the tables grew by what was acknowledged.
-- Moments are seconds from 1970-01-01 UTC. Names compare without regard to case, by their collation.

-- name: make customers
-- makes: table oe_customers
-- columns: customer_id first_name last_name language territory credit_limit email account_mgr_id customer_since customer_class suggestions date_of_birth mailshot partner_mailshot preferred_address preferred_card
CREATE TABLE oe_customers (
  customer_id BIGINT NOT NULL, first_name VARCHAR(40) NOT NULL, last_name VARCHAR(40) NOT NULL, language VARCHAR(3) NOT NULL,
  territory VARCHAR(30) NOT NULL, credit_limit DECIMAL(9,2) NOT NULL, email VARCHAR(100) NOT NULL,
  account_mgr_id BIGINT NOT NULL, customer_since DATE NOT NULL, customer_class VARCHAR(40) NOT NULL,
  suggestions VARCHAR(40) NOT NULL, date_of_birth DATE NOT NULL, mailshot VARCHAR(1) NOT NULL,
  partner_mailshot VARCHAR(1) NOT NULL, preferred_address BIGINT NOT NULL, preferred_card BIGINT NOT NULL,
  PRIMARY KEY (customer_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET ascii

-- name: make addresses
-- makes: table oe_addresses
-- columns: address_id customer_id date_created house street town county country post_code zip_code
CREATE TABLE oe_addresses (
  address_id BIGINT NOT NULL, customer_id BIGINT NOT NULL, date_created DATE NOT NULL, house VARCHAR(60) NOT NULL,
  street VARCHAR(60) NOT NULL, town VARCHAR(60) NOT NULL, county VARCHAR(60) NOT NULL, country VARCHAR(60) NOT NULL,
  post_code VARCHAR(12) NOT NULL, zip_code VARCHAR(12) NOT NULL, PRIMARY KEY (address_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET ascii

-- name: make cards
-- makes: table oe_cards
-- columns: card_id customer_id card_type card_number expiry_date is_valid security_code
CREATE TABLE oe_cards (
  card_id BIGINT NOT NULL, customer_id BIGINT NOT NULL, card_type VARCHAR(30) NOT NULL, card_number BIGINT NOT NULL,
  expiry_date DATE NOT NULL, is_valid VARCHAR(1) NOT NULL, security_code INT NOT NULL, PRIMARY KEY (card_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET ascii

-- name: make orders
-- makes: table oe_orders
-- columns: order_id order_date order_mode customer_id order_status order_total sales_rep_id promotion_id warehouse_id delivery_type cost_of_delivery wait_till_all_available delivery_address_id customer_class card_id invoice_address_id
CREATE TABLE oe_orders (
  order_id BIGINT NOT NULL, order_date BIGINT NOT NULL, order_mode VARCHAR(8) NOT NULL, customer_id BIGINT NOT NULL,
  order_status INT NOT NULL, order_total DECIMAL(12,2) NOT NULL, sales_rep_id BIGINT NOT NULL, promotion_id BIGINT NOT NULL,
  warehouse_id BIGINT NOT NULL, delivery_type VARCHAR(15) NOT NULL, cost_of_delivery DECIMAL(8,2) NOT NULL,
  wait_till_all_available VARCHAR(15) NOT NULL, delivery_address_id BIGINT NOT NULL, customer_class VARCHAR(40) NOT NULL,
  card_id BIGINT NOT NULL, invoice_address_id BIGINT NOT NULL, PRIMARY KEY (order_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET ascii

-- name: make items
-- makes: table oe_items
-- columns: order_id line_item_id product_id unit_price quantity dispatch_date return_date gift_wrap item_condition supplier_id estimated_delivery
CREATE TABLE oe_items (
  order_id BIGINT NOT NULL, line_item_id INT NOT NULL, product_id BIGINT NOT NULL, unit_price DECIMAL(8,2) NOT NULL,
  quantity INT NOT NULL, dispatch_date DATE NOT NULL, return_date DATE NOT NULL, gift_wrap VARCHAR(20) NOT NULL,
  item_condition VARCHAR(20) NOT NULL, supplier_id BIGINT NOT NULL, estimated_delivery DATE NOT NULL,
  PRIMARY KEY (order_id, line_item_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET ascii

-- name: make logons
-- makes: table oe_logons
-- columns: logon_id customer_id logon_date
CREATE TABLE oe_logons (
  logon_id BIGINT NOT NULL, customer_id BIGINT NOT NULL, logon_date BIGINT NOT NULL, PRIMARY KEY (logon_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET ascii

-- name: make inventories
-- makes: table oe_inventories
-- columns: product_id warehouse_id quantity_on_hand
CREATE TABLE oe_inventories (
  product_id BIGINT NOT NULL, warehouse_id BIGINT NOT NULL, quantity_on_hand INT NOT NULL,
  PRIMARY KEY (product_id, warehouse_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET ascii

-- name: make products
-- makes: table oe_products
-- columns: product_id product_name product_description category_id weight_class warranty_months supplier_id product_status list_price min_price catalog_url
CREATE TABLE oe_products (
  product_id BIGINT NOT NULL, product_name VARCHAR(50) NOT NULL, product_description VARCHAR(100) NOT NULL,
  category_id INT NOT NULL, weight_class INT NOT NULL, warranty_months INT NOT NULL, supplier_id BIGINT NOT NULL,
  product_status VARCHAR(20) NOT NULL, list_price DECIMAL(8,2) NOT NULL, min_price DECIMAL(8,2) NOT NULL,
  catalog_url VARCHAR(50) NOT NULL, PRIMARY KEY (product_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET ascii

-- name: make descriptions
-- makes: table oe_descriptions
-- columns: product_id language_id translated_name translated_description
CREATE TABLE oe_descriptions (
  product_id BIGINT NOT NULL, language_id VARCHAR(3) NOT NULL, translated_name VARCHAR(50) NOT NULL,
  translated_description VARCHAR(200) NOT NULL, PRIMARY KEY (product_id, language_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET ascii

-- name: make warehouses
-- makes: table oe_warehouses
-- columns: warehouse_id warehouse_name location_id
CREATE TABLE oe_warehouses (
  warehouse_id BIGINT NOT NULL, warehouse_name VARCHAR(35) NOT NULL, location_id INT NOT NULL, PRIMARY KEY (warehouse_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET ascii

-- name: make customer_seq
-- makes: sequence oe_customer_seq
CREATE SEQUENCE oe_customer_seq START WITH {customers_next} CACHE 100

-- name: make address_seq
-- makes: sequence oe_address_seq
CREATE SEQUENCE oe_address_seq START WITH {addresses_next} CACHE 100

-- name: make card_seq
-- makes: sequence oe_card_seq
CREATE SEQUENCE oe_card_seq START WITH {cards_next} CACHE 100

-- name: make order_seq
-- makes: sequence oe_order_seq
CREATE SEQUENCE oe_order_seq START WITH {orders_next} CACHE 100

-- name: make logon_seq
-- makes: sequence oe_logon_seq
CREATE SEQUENCE oe_logon_seq START WITH {logons_next} CACHE 100

-- name: make register
-- makes: procedure oe_register
CREATE PROCEDURE oe_register(IN p_first VARCHAR(40) CHARACTER SET ascii, IN p_last VARCHAR(40) CHARACTER SET ascii)
BEGIN
  DECLARE v_customer, v_address, v_card BIGINT;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION
  BEGIN
    ROLLBACK;
    RESIGNAL;
  END;
  START TRANSACTION;
  SET v_customer = NEXTVAL(oe_customer_seq), v_address = NEXTVAL(oe_address_seq), v_card = NEXTVAL(oe_card_seq);
  INSERT INTO oe_customers (customer_id, first_name, last_name, language, territory, credit_limit, email, account_mgr_id,
    customer_since, customer_class, suggestions, date_of_birth, mailshot, partner_mailshot, preferred_address, preferred_card)
  VALUES (v_customer, p_first, p_last, 'en', 'EUROPE', 1000, 'somebody@example.com', 1, CURRENT_DATE, 'Occasional', 'Books',
    DATE '1980-01-01', 'Y', 'N', v_address, v_card);
  INSERT INTO oe_addresses (address_id, customer_id, date_created, house, street, town, county, country, post_code, zip_code)
  VALUES (v_address, v_customer, CURRENT_DATE, 'Seven Oaks', 'Church Street', 'Newtown', 'Northshire', 'Kenya', 'abcdef', 'abcde');
  INSERT INTO oe_cards (card_id, customer_id, card_type, card_number, expiry_date, is_valid, security_code)
  VALUES (v_card, v_customer, 'Debit', 1111222233, CURRENT_DATE + INTERVAL 730 DAY, 'Y', 123);
  INSERT INTO oe_logons (logon_id, customer_id, logon_date) VALUES (NEXTVAL(oe_logon_seq), v_customer, UNIX_TIMESTAMP());
  SELECT 1, preferred_address, preferred_card, first_name, last_name, email, customer_class, credit_limit
  FROM oe_customers WHERE customer_id = v_customer;
  COMMIT;
END

-- name: make update_customer
-- makes: procedure oe_update_customer
CREATE PROCEDURE oe_update_customer(IN p_last VARCHAR(40) CHARACTER SET ascii, IN p_first VARCHAR(40) CHARACTER SET ascii)
BEGIN
  DECLARE v_customer, v_address BIGINT;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION
  BEGIN
    ROLLBACK;
    RESIGNAL;
  END;
  SET v_customer = (SELECT customer_id FROM oe_customers WHERE last_name = p_last AND first_name = p_first
    ORDER BY customer_id LIMIT 1);
  IF v_customer IS NULL THEN
    SELECT 0;
  ELSE
    START TRANSACTION;
    SET v_address = NEXTVAL(oe_address_seq);
    INSERT INTO oe_addresses (address_id, customer_id, date_created, house, street, town, county, country, post_code, zip_code)
    VALUES (v_address, v_customer, CURRENT_DATE, 'Seven Oaks', 'Church Street', 'Newtown', 'Northshire', 'Kenya', 'abcdef', 'abcde');
    UPDATE oe_customers SET preferred_address = v_address WHERE customer_id = v_customer;
    COMMIT;
    SELECT 1;
  END IF;
END

-- name: make browse_products
-- makes: procedure oe_browse_products
-- what: looks at p_looks products that lie 37 apart, from p_product on
CREATE PROCEDURE oe_browse_products(IN p_customer BIGINT, IN p_product BIGINT, IN p_looks BIGINT)
BEGIN
  DECLARE v_n, v_seen BIGINT DEFAULT 0;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION
  BEGIN
    ROLLBACK;
    RESIGNAL;
  END;
  SET v_seen = (SELECT preferred_address FROM oe_customers WHERE customer_id = p_customer);
  WHILE v_n < p_looks DO
    SET v_seen = (SELECT SUM(quantity_on_hand) FROM (
      SELECT i.warehouse_id, i.quantity_on_hand, p.product_name, p.product_description, p.list_price
      FROM oe_products p JOIN oe_inventories i ON i.product_id = p.product_id
      WHERE p.product_id = 1 + (p_product + 37 * v_n) % 900 AND i.quantity_on_hand > 0 ORDER BY i.warehouse_id LIMIT 15) AS seen);
    SET v_n = v_n + 1;
  END WHILE;
  INSERT INTO oe_logons (logon_id, customer_id, logon_date) VALUES (NEXTVAL(oe_logon_seq), p_customer, UNIX_TIMESTAMP());
  SELECT 1, v_seen;
END

-- name: make order_products
-- makes: procedure oe_order_products
-- what: an item of each of p_looks categories that lie 13 apart, from p_category on; p_pick decides which, and how many pieces
CREATE PROCEDURE oe_order_products(
  IN p_customer BIGINT, IN p_warehouse BIGINT, IN p_category BIGINT, IN p_looks BIGINT, IN p_pick BIGINT
)
BEGIN
  DECLARE v_order, v_address, v_card, v_product, v_at, v_n, v_items, v_short BIGINT DEFAULT 0;
  -- The products in order, with commas between.
  DECLARE v_products VARCHAR(200) DEFAULT '';
  DECLARE EXIT HANDLER FOR SQLEXCEPTION
  BEGIN
    ROLLBACK;
    RESIGNAL;
  END;
  SET v_n = (SELECT preferred_address FROM oe_customers WHERE customer_id = p_customer);
  SET v_address = (SELECT address_id FROM oe_addresses WHERE customer_id = p_customer ORDER BY address_id LIMIT 1);
  SET v_card = (SELECT card_id FROM oe_cards WHERE customer_id = p_customer ORDER BY card_id LIMIT 1);
  SET v_n = 0;
  WHILE v_n < p_looks DO
    SET v_at = (p_pick + v_n) % 4;
    SET v_product = (
      SELECT IF(i.quantity_on_hand >= 1 + p.product_id % 8, p.product_id, NULL)
      FROM oe_products p JOIN oe_inventories i ON i.product_id = p.product_id
      WHERE p.category_id = 1 + (p_category + 13 * v_n) % 100 AND i.warehouse_id = p_warehouse AND i.quantity_on_hand > 0
      ORDER BY p.product_id LIMIT v_at, 1);
    IF v_product IS NOT NULL THEN
      SET v_products = CONCAT(v_products, IF(v_products = '', '', ','), v_product), v_items = v_items + 1;
    END IF;
    SET v_n = v_n + 1;
  END WHILE;
  IF v_items = 0 THEN
    SELECT 0;
  ELSE
    START TRANSACTION;
    SET v_order = NEXTVAL(oe_order_seq);
    INSERT INTO oe_logons (logon_id, customer_id, logon_date) VALUES (NEXTVAL(oe_logon_seq), p_customer, UNIX_TIMESTAMP());
    INSERT INTO oe_orders (order_id, order_date, order_mode, customer_id, order_status, order_total, sales_rep_id, promotion_id,
      warehouse_id, delivery_type, cost_of_delivery, wait_till_all_available, delivery_address_id, customer_class, card_id,
      invoice_address_id)
    VALUES (v_order, UNIX_TIMESTAMP(), 'online', p_customer, 0, 0, 1 + UNIX_TIMESTAMP() % 1000, 1, p_warehouse, 'Standard', 2, 'ship_asap', v_address,
      'Occasional', v_card, v_address);
    SET v_n = 1;
    WHILE v_n <= v_items DO
      SET v_product = SUBSTRING_INDEX(SUBSTRING_INDEX(v_products, ',', v_n), ',', -1);
      INSERT INTO oe_items (order_id, line_item_id, product_id, unit_price, quantity, dispatch_date, return_date, gift_wrap,
        item_condition, supplier_id, estimated_delivery)
      SELECT v_order, v_n, product_id, list_price, 1 + product_id % 8, CURRENT_DATE, CURRENT_DATE + INTERVAL 30 DAY, 'None', 'New',
             supplier_id, CURRENT_DATE + INTERVAL 3 DAY
      FROM oe_products WHERE product_id = v_product;
      SET v_n = v_n + 1;
    END WHILE;
    UPDATE oe_orders
    SET order_total = (SELECT SUM(unit_price * quantity) FROM oe_items WHERE order_id = v_order) WHERE order_id = v_order;
    -- Whoever takes stock takes it in the order of products.
    SET v_product = 0;
    WHILE v_product IS NOT NULL DO
      SET v_product = (SELECT MIN(product_id) FROM oe_items WHERE order_id = v_order AND product_id > v_product);
      IF v_product IS NOT NULL THEN
        UPDATE oe_inventories SET quantity_on_hand = quantity_on_hand - (1 + v_product % 8)
        WHERE product_id = v_product AND warehouse_id = p_warehouse AND quantity_on_hand >= 1 + v_product % 8;
        SET v_short = v_short + (ROW_COUNT() = 0);
      END IF;
    END WHILE;
    IF v_short > 0 THEN
      ROLLBACK;
      SELECT 0;
    ELSE
      COMMIT;
      SELECT v_items;
    END IF;
  END IF;
END

-- name: make process_orders
-- makes: procedure oe_process_orders
CREATE PROCEDURE oe_process_orders(IN p_warehouse BIGINT)
BEGIN
  DECLARE v_orders VARCHAR(400) DEFAULT '';
  DECLARE v_order, v_n, v_items, v_done BIGINT DEFAULT 0;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION
  BEGIN
    ROLLBACK;
    RESIGNAL;
  END;
  SET v_orders = (SELECT GROUP_CONCAT(order_id ORDER BY order_id) FROM (
    SELECT o.order_id FROM oe_orders o JOIN oe_customers c ON c.customer_id = o.customer_id
    WHERE o.warehouse_id = p_warehouse AND o.order_status < 10 ORDER BY o.order_status, o.order_id LIMIT 10) AS found);
  IF v_orders IS NULL THEN
    SELECT 0;
  ELSE
    START TRANSACTION;
    SET v_n = 1;
    WHILE v_n <= 1 + LENGTH(v_orders) - LENGTH(REPLACE(v_orders, ',', '')) DO
      SET v_order = SUBSTRING_INDEX(SUBSTRING_INDEX(v_orders, ',', v_n), ',', -1);
      SET v_items = (SELECT COUNT(*) FROM oe_items WHERE order_id = v_order);
      UPDATE oe_orders SET order_status = order_status + 1 WHERE order_id = v_order AND order_status < 10;
      SET v_done = v_done + ROW_COUNT();
      SET v_n = v_n + 1;
    END WHILE;
    COMMIT;
    SELECT v_done, v_items;
  END IF;
END

-- name: make browse_orders
-- makes: procedure oe_browse_orders
-- what: p_pick decides which of the customer's orders, and which item
CREATE PROCEDURE oe_browse_orders(IN p_customer BIGINT, IN p_pick BIGINT)
BEGIN
  DECLARE v_order, v_line, v_n, v_at BIGINT DEFAULT 0;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION
  BEGIN
    ROLLBACK;
    RESIGNAL;
  END;
  SET v_n = (SELECT preferred_address FROM oe_customers WHERE customer_id = p_customer);
  SET v_n = (SELECT MIN(address_id) FROM oe_addresses WHERE customer_id = p_customer);
  SET v_n = LEAST(10, (SELECT COUNT(*) FROM oe_orders WHERE customer_id = p_customer));
  IF v_n = 0 THEN
    SELECT 0;
  ELSE
    SET v_at = p_pick % v_n;
    SET v_order = (SELECT order_id FROM oe_orders WHERE customer_id = p_customer ORDER BY order_id DESC LIMIT v_at, 1);
    SET v_at = p_pick % (SELECT COUNT(*) FROM oe_items WHERE order_id = v_order);
    SET v_line = (SELECT line_item_id FROM oe_items WHERE order_id = v_order ORDER BY line_item_id LIMIT v_at, 1);
    START TRANSACTION;
    UPDATE oe_items SET quantity = quantity + 1 WHERE order_id = v_order AND line_item_id = v_line;
    UPDATE oe_orders
    SET order_total = order_total + (SELECT unit_price FROM oe_items WHERE order_id = v_order AND line_item_id = v_line)
    WHERE order_id = v_order;
    COMMIT;
    SELECT 1;
  END IF;
END

-- name: make sales_rep_query
-- makes: procedure oe_sales_rep_query
CREATE PROCEDURE oe_sales_rep_query(IN p_sales_rep BIGINT)
BEGIN
  SELECT 1, COUNT(first_name), SUM(order_total) FROM (
    SELECT o.order_id, o.order_date, o.order_total, c.first_name, c.last_name
    FROM oe_orders o JOIN oe_customers c ON c.customer_id = o.customer_id
    WHERE o.sales_rep_id = p_sales_rep ORDER BY o.order_total DESC, o.order_id LIMIT 10) AS found;
END

-- name: make warehouse_orders_query
-- makes: procedure oe_warehouse_orders_query
CREATE PROCEDURE oe_warehouse_orders_query(IN p_warehouse BIGINT)
BEGIN
  SELECT 1, SUM(orders), SUM(total) FROM (
    WITH seen AS (SELECT order_mode, order_status, order_total FROM oe_orders WHERE warehouse_id = p_warehouse)
    SELECT order_mode, order_status, COUNT(*) AS orders, SUM(order_total) AS total FROM seen GROUP BY order_mode, order_status
    UNION ALL SELECT order_mode, NULL, COUNT(*), SUM(order_total) FROM seen GROUP BY order_mode
    UNION ALL SELECT NULL, order_status, COUNT(*), SUM(order_total) FROM seen GROUP BY order_status
    UNION ALL SELECT NULL, NULL, COUNT(*), SUM(order_total) FROM seen) AS found;
END

-- name: make warehouse_activity_query
-- makes: procedure oe_warehouse_activity_query
CREATE PROCEDURE oe_warehouse_activity_query(IN p_warehouse BIGINT)
BEGIN
  SELECT 1, SUM(orders), SUM(total) FROM (
    SELECT order_date DIV 300 * 300 AS from_s, COUNT(*) AS orders, SUM(order_total) AS total
    FROM oe_orders WHERE warehouse_id = p_warehouse AND order_date >= UNIX_TIMESTAMP() - 3600
    GROUP BY order_date DIV 300 * 300 ORDER BY from_s) AS found;
END

-- name: index customers
-- what: those of a table at once, so that its rows are read once
ALTER TABLE oe_customers
  ADD INDEX IF NOT EXISTS oe_customers_name (last_name, first_name),
  ADD INDEX IF NOT EXISTS oe_customers_email (email),
  ADD INDEX IF NOT EXISTS oe_customers_manager (account_mgr_id)

-- name: index addresses
ALTER TABLE oe_addresses
  ADD INDEX IF NOT EXISTS oe_addresses_customer (customer_id)

-- name: index cards
ALTER TABLE oe_cards
  ADD INDEX IF NOT EXISTS oe_cards_customer (customer_id)

-- name: index orders
ALTER TABLE oe_orders
  ADD INDEX IF NOT EXISTS oe_orders_customer (customer_id),
  ADD INDEX IF NOT EXISTS oe_orders_warehouse (warehouse_id, order_status, order_id),
  ADD INDEX IF NOT EXISTS oe_orders_sales_rep (sales_rep_id),
  ADD INDEX IF NOT EXISTS oe_orders_date (order_date)

-- name: index items
ALTER TABLE oe_items
  ADD INDEX IF NOT EXISTS oe_items_product (product_id)

-- name: index logons
ALTER TABLE oe_logons
  ADD INDEX IF NOT EXISTS oe_logons_customer (customer_id),
  ADD INDEX IF NOT EXISTS oe_logons_date (logon_date)

-- name: index inventories
ALTER TABLE oe_inventories
  ADD INDEX IF NOT EXISTS oe_inventories_warehouse (warehouse_id)

-- name: index products
ALTER TABLE oe_products
  ADD INDEX IF NOT EXISTS oe_products_category (category_id),
  ADD INDEX IF NOT EXISTS oe_products_supplier (supplier_id),
  ADD INDEX IF NOT EXISTS oe_products_name (product_name)

-- name: index descriptions
ALTER TABLE oe_descriptions
  ADD INDEX IF NOT EXISTS oe_descriptions_name (translated_name)

-- name: index warehouses
ALTER TABLE oe_warehouses
  ADD INDEX IF NOT EXISTS oe_warehouses_location (location_id)

-- name: finish statistics
ANALYZE TABLE oe_customers, oe_addresses, oe_cards, oe_orders, oe_items, oe_logons, oe_inventories, oe_products, oe_descriptions, oe_warehouses

-- name: client find_customer
SELECT preferred_address, preferred_card, first_name, last_name, email, customer_class, credit_limit
FROM oe_customers WHERE customer_id = :1

-- name: client customer_addresses
SELECT address_id, house, street, town, county, country, post_code, zip_code
FROM oe_addresses WHERE customer_id = :1 ORDER BY address_id LIMIT 5

-- name: client customer_cards
SELECT card_id, card_type, card_number, expiry_date, is_valid
FROM oe_cards WHERE customer_id = :1 ORDER BY card_id LIMIT 5

-- name: client customer_by_name
-- what: :1 last name, :2 first name
SELECT customer_id, email, territory, customer_class
FROM oe_customers WHERE last_name = :1 AND first_name = :2 ORDER BY customer_id LIMIT 5

-- name: client browse_product
SELECT i.warehouse_id, i.quantity_on_hand, p.product_name, p.product_description, p.list_price
FROM oe_products p JOIN oe_inventories i ON i.product_id = p.product_id
WHERE p.product_id = :1 AND i.quantity_on_hand > 0 ORDER BY i.warehouse_id LIMIT 15

-- name: client browse_category
-- what: :1 category, :2 warehouse
SELECT p.product_id, i.quantity_on_hand, p.product_name, p.list_price
FROM oe_products p JOIN oe_inventories i ON i.product_id = p.product_id
WHERE p.category_id = :1 AND i.warehouse_id = :2 AND i.quantity_on_hand > 0 ORDER BY p.product_id LIMIT 4

-- name: client new_customer_keys
SELECT NEXTVAL(oe_customer_seq), NEXTVAL(oe_address_seq), NEXTVAL(oe_card_seq),
       NEXTVAL(oe_logon_seq)

-- name: client insert_customer
-- what: :1 customer, :2 first name, :3 last name, :4 address, :5 card
INSERT INTO oe_customers (customer_id, first_name, last_name, language, territory, credit_limit, email, account_mgr_id,
  customer_since, customer_class, suggestions, date_of_birth, mailshot, partner_mailshot, preferred_address, preferred_card)
VALUES (:1, :2, :3, 'en', 'EUROPE', 1000, 'somebody@example.com', 1, CURRENT_DATE, 'Occasional', 'Books', DATE '1980-01-01', 'Y', 'N',
  :4, :5)

-- name: client insert_address
-- what: :1 address, :2 customer
INSERT INTO oe_addresses (address_id, customer_id, date_created, house, street, town, county, country, post_code, zip_code)
VALUES (:1, :2, CURRENT_DATE, 'Seven Oaks', 'Church Street', 'Newtown', 'Northshire', 'Kenya', 'abcdef', 'abcde')

-- name: client insert_card
-- what: :1 card, :2 customer
INSERT INTO oe_cards (card_id, customer_id, card_type, card_number, expiry_date, is_valid, security_code)
VALUES (:1, :2, 'Debit', 1111222233, CURRENT_DATE + INTERVAL 730 DAY, 'Y', 123)

-- name: client insert_logon
-- what: :1 logon, :2 customer
INSERT INTO oe_logons (logon_id, customer_id, logon_date) VALUES (:1, :2, UNIX_TIMESTAMP())

-- name: client log_visit
INSERT INTO oe_logons (logon_id, customer_id, logon_date)
VALUES (NEXTVAL(oe_logon_seq), :1, UNIX_TIMESTAMP())

-- name: client new_address_key
SELECT NEXTVAL(oe_address_seq)

-- name: client prefer_address
-- what: :1 address, :2 customer
UPDATE oe_customers SET preferred_address = :1 WHERE customer_id = :2

-- name: client new_order_keys
SELECT NEXTVAL(oe_order_seq), NEXTVAL(oe_logon_seq)

-- name: client insert_order
-- what: :1 order, :2 customer, :3 warehouse, :4 and :6 address, :5 card; sales representatives take turns by the second
INSERT INTO oe_orders (order_id, order_date, order_mode, customer_id, order_status, order_total, sales_rep_id, promotion_id,
  warehouse_id, delivery_type, cost_of_delivery, wait_till_all_available, delivery_address_id, customer_class, card_id,
  invoice_address_id)
VALUES (:1, UNIX_TIMESTAMP(), 'online', :2, 0, 0, 1 + UNIX_TIMESTAMP() % 1000, 1, :3, 'Standard', 2, 'ship_asap', :4, 'Occasional', :5, :6)

-- name: client insert_item
-- what: :1 order, :2 line, :3 pieces, :4 product
INSERT INTO oe_items (order_id, line_item_id, product_id, unit_price, quantity, dispatch_date, return_date, gift_wrap,
  item_condition, supplier_id, estimated_delivery)
SELECT :1, :2, product_id, list_price, :3, CURRENT_DATE, CURRENT_DATE + INTERVAL 30 DAY, 'None', 'New', supplier_id,
       CURRENT_DATE + INTERVAL 3 DAY
FROM oe_products WHERE product_id = :4

-- name: client set_total
-- what: :1 and :2 order; nobody else sees it yet
UPDATE oe_orders
SET order_total = (SELECT SUM(unit_price * quantity) FROM oe_items WHERE order_id = :1) WHERE order_id = :2

-- name: client take_stock
-- what: :1 and :4 pieces, :2 product, :3 warehouse; changes nothing where there is not enough
UPDATE oe_inventories SET quantity_on_hand = quantity_on_hand - :1
WHERE product_id = :2 AND warehouse_id = :3 AND quantity_on_hand >= :4

-- name: client open_orders
-- what: :1 warehouse
SELECT o.order_id, o.order_status, c.first_name, c.last_name,
       (SELECT COUNT(*) FROM oe_items i WHERE i.order_id = o.order_id)
FROM oe_orders o JOIN oe_customers c ON c.customer_id = o.customer_id
WHERE o.warehouse_id = :1 AND o.order_status < 10 ORDER BY o.order_status, o.order_id LIMIT 10

-- name: client process_order
UPDATE oe_orders SET order_status = order_status + 1 WHERE order_id = :1 AND order_status < 10

-- name: client customer_orders
SELECT order_id, order_date, order_status, order_total
FROM oe_orders WHERE customer_id = :1 ORDER BY order_id DESC LIMIT 10

-- name: client order_items
SELECT line_item_id, product_id, unit_price, quantity FROM oe_items WHERE order_id = :1 ORDER BY line_item_id

-- name: client raise_quantity
-- what: :1 order, :2 line
UPDATE oe_items SET quantity = quantity + 1 WHERE order_id = :1 AND line_item_id = :2

-- name: client raise_total
-- what: :1 and :3 order, :2 line; by the price of the item, which nobody changes: others may raise the order's total, too
UPDATE oe_orders
SET order_total = order_total + (SELECT unit_price FROM oe_items WHERE order_id = :1 AND line_item_id = :2)
WHERE order_id = :3

-- name: client sales_rep_orders
-- what: the ten orders of most worth of a sales representative
SELECT o.order_id, o.order_date, o.order_total, c.first_name, c.last_name
FROM oe_orders o JOIN oe_customers c ON c.customer_id = o.customer_id
WHERE o.sales_rep_id = :1 ORDER BY o.order_total DESC, o.order_id LIMIT 10

-- name: client warehouse_orders
-- what: orders of a warehouse by mode and status, by each of them, and all
WITH seen AS (SELECT order_mode, order_status, order_total FROM oe_orders WHERE warehouse_id = :1)
SELECT order_mode, order_status, COUNT(*) AS orders, SUM(order_total) AS total FROM seen GROUP BY order_mode, order_status
UNION ALL SELECT order_mode, NULL, COUNT(*), SUM(order_total) FROM seen GROUP BY order_mode
UNION ALL SELECT NULL, order_status, COUNT(*), SUM(order_total) FROM seen GROUP BY order_status
UNION ALL SELECT NULL, NULL, COUNT(*), SUM(order_total) FROM seen

-- name: client warehouse_activity
-- what: orders of a warehouse in the last hour, by five minutes
SELECT order_date DIV 300 * 300 AS from_s, COUNT(*) AS orders, SUM(order_total) AS total
FROM oe_orders WHERE warehouse_id = :1 AND order_date >= UNIX_TIMESTAMP() - 3600
GROUP BY order_date DIV 300 * 300 ORDER BY from_s

-- name: server register
-- what: :1 first name, :2 last name; each call answers with 0 where there was nothing to do
CALL oe_register(:1, :2)

-- name: server update_customer
-- what: :1 last name, :2 first name
CALL oe_update_customer(:1, :2)

-- name: server browse_products
-- what: :1 customer, :2 first product, :3 how many
CALL oe_browse_products(:1, :2, :3)

-- name: server order_products
-- what: :1 customer, :2 warehouse, :3 first category, :4 how many, :5 what is picked; answers with the number of items
CALL oe_order_products(:1, :2, :3, :4, :5)

-- name: server process_orders
-- what: :1 warehouse
CALL oe_process_orders(:1)

-- name: server browse_orders
-- what: :1 customer, :2 what is picked
CALL oe_browse_orders(:1, :2)

-- name: server sales_rep_query
-- what: :1 sales representative
CALL oe_sales_rep_query(:1)

-- name: server warehouse_orders_query
-- what: :1 warehouse
CALL oe_warehouse_orders_query(:1)

-- name: server warehouse_activity_query
-- what: :1 warehouse
CALL oe_warehouse_activity_query(:1)

-- name: look
-- what: rows of six tables; orders with another total; stocks below zero; items without order, without product;
-- also: sequences behind their keys; pieces in stock and in orders; the sum of the status; customers with another address
SELECT (SELECT COUNT(*) FROM oe_customers), (SELECT COUNT(*) FROM oe_addresses),
       (SELECT COUNT(*) FROM oe_cards), (SELECT COUNT(*) FROM oe_orders), (SELECT COUNT(*) FROM oe_items),
       (SELECT COUNT(*) FROM oe_logons),
       (SELECT COUNT(*) FROM oe_orders o
        LEFT JOIN (SELECT order_id, SUM(unit_price * quantity) AS total FROM oe_items GROUP BY order_id) i
        ON i.order_id = o.order_id WHERE NOT (i.total <=> o.order_total)),
       (SELECT COUNT(*) FROM oe_inventories WHERE quantity_on_hand < 0),
       (SELECT COUNT(*) FROM oe_items i FORCE INDEX (PRIMARY) LEFT JOIN oe_orders o ON o.order_id = i.order_id WHERE o.order_id IS NULL),
       (SELECT COUNT(*) FROM oe_items i LEFT JOIN oe_products p ON p.product_id = i.product_id
        WHERE p.product_id IS NULL),
       (SELECT COUNT(*) FROM (
          SELECT (SELECT next_not_cached_value - 1 FROM oe_customer_seq) AS seq, (SELECT MAX(customer_id) FROM oe_customers) AS high
          UNION ALL SELECT (SELECT next_not_cached_value - 1 FROM oe_address_seq), (SELECT MAX(address_id) FROM oe_addresses)
          UNION ALL SELECT (SELECT next_not_cached_value - 1 FROM oe_card_seq), (SELECT MAX(card_id) FROM oe_cards)
          UNION ALL SELECT (SELECT next_not_cached_value - 1 FROM oe_order_seq), (SELECT MAX(order_id) FROM oe_orders)
          UNION ALL SELECT (SELECT next_not_cached_value - 1 FROM oe_logon_seq), (SELECT MAX(logon_id) FROM oe_logons)) AS pairs
        WHERE seq < high),
       CAST((SELECT SUM(quantity) FROM oe_items) + (SELECT SUM(quantity_on_hand) FROM oe_inventories) AS SIGNED),
       CAST((SELECT SUM(order_status) FROM oe_orders) AS SIGNED),
       (SELECT COUNT(*) FROM oe_customers c
        LEFT JOIN oe_addresses a ON a.address_id = c.preferred_address AND a.customer_id = c.customer_id
        WHERE a.address_id IS NULL OR (a.address_id <= {addresses_rows} AND c.customer_id IN
         (SELECT customer_id FROM oe_addresses WHERE address_id > {addresses_rows})))

-- name: keys orders
SELECT o.order_id FROM oe_orders o
LEFT JOIN (SELECT order_id, SUM(unit_price * quantity) AS total FROM oe_items GROUP BY order_id) i ON i.order_id = o.order_id
WHERE NOT (i.total <=> o.order_total) ORDER BY o.order_id LIMIT 10

-- name: keys inventories
-- what: product, a slash and warehouse
SELECT CONCAT(product_id, '/', warehouse_id) FROM oe_inventories WHERE quantity_on_hand < 0
ORDER BY product_id, warehouse_id LIMIT 10

-- name: keys items without order
-- what: order, a slash and line
SELECT CONCAT(i.order_id, '/', i.line_item_id) FROM oe_items i FORCE INDEX (PRIMARY) LEFT JOIN oe_orders o ON o.order_id = i.order_id
WHERE o.order_id IS NULL ORDER BY i.order_id, i.line_item_id LIMIT 10

-- name: keys items without product
SELECT CONCAT(i.order_id, '/', i.line_item_id) FROM oe_items i LEFT JOIN oe_products p ON p.product_id = i.product_id
WHERE p.product_id IS NULL ORDER BY i.order_id, i.line_item_id LIMIT 10

-- name: keys sequences
-- what: tables whose sequence is behind, with their highest keys
SELECT CONCAT(name, high) FROM (
  SELECT 'customers ' AS name, (SELECT next_not_cached_value - 1 FROM oe_customer_seq) AS seq,
         (SELECT MAX(customer_id) FROM oe_customers) AS high
  UNION ALL SELECT 'addresses ', (SELECT next_not_cached_value - 1 FROM oe_address_seq),
         (SELECT MAX(address_id) FROM oe_addresses)
  UNION ALL SELECT 'cards ', (SELECT next_not_cached_value - 1 FROM oe_card_seq),
         (SELECT MAX(card_id) FROM oe_cards)
  UNION ALL SELECT 'orders ', (SELECT next_not_cached_value - 1 FROM oe_order_seq),
         (SELECT MAX(order_id) FROM oe_orders)
  UNION ALL SELECT 'logons ', (SELECT next_not_cached_value - 1 FROM oe_logon_seq),
         (SELECT MAX(logon_id) FROM oe_logons)) AS pairs
WHERE seq < high

-- name: keys customers
SELECT c.customer_id FROM oe_customers c
LEFT JOIN oe_addresses a ON a.address_id = c.preferred_address AND a.customer_id = c.customer_id
WHERE a.address_id IS NULL OR (a.address_id <= {addresses_rows} AND c.customer_id IN
  (SELECT customer_id FROM oe_addresses WHERE address_id > {addresses_rows}))
ORDER BY c.customer_id LIMIT 10

-- name: indexes
-- what: each index of the tables, that statements can use, as the server describes it
-- made: 28
SELECT CONCAT(TABLE_NAME, ' ', INDEX_NAME, ' ', INDEX_TYPE, ' ', MAX(NON_UNIQUE), ' ',
  GROUP_CONCAT(COLUMN_NAME, IFNULL(CONCAT(' ', SUB_PART), '') ORDER BY SEQ_IN_INDEX))
FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() AND IGNORED = 'NO' AND TABLE_NAME IN (
  'oe_customers', 'oe_addresses', 'oe_cards', 'oe_orders', 'oe_items', 'oe_logons', 'oe_inventories',
  'oe_products', 'oe_descriptions', 'oe_warehouses')
GROUP BY TABLE_NAME, INDEX_NAME, INDEX_TYPE ORDER BY TABLE_NAME, INDEX_NAME

-- name: count
-- what: loaded rows of each table, in the order in which they are made
SELECT (SELECT COUNT(*) FROM oe_customers WHERE customer_id <= {customers_rows}),
       (SELECT COUNT(*) FROM oe_addresses WHERE address_id <= {addresses_rows}),
       (SELECT COUNT(*) FROM oe_cards WHERE card_id <= {cards_rows}),
       (SELECT COUNT(*) FROM oe_orders WHERE order_id <= {orders_rows}),
       (SELECT COUNT(*) FROM oe_items WHERE order_id <= {orders_rows}),
       (SELECT COUNT(*) FROM oe_logons WHERE logon_id <= {logons_rows}), (SELECT COUNT(*) FROM oe_inventories),
       (SELECT COUNT(*) FROM oe_products), (SELECT COUNT(*) FROM oe_descriptions),
       (SELECT COUNT(*) FROM oe_warehouses)
