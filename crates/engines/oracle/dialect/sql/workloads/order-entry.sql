-- Order Entry. Makes the ten tables, five sequences and nine procedures oe_… in the user's schema, and touches nothing else.
-- Proves that every order's total is that of its items, that no stock is below zero, that every item has its order and its
-- product, that sequences are ahead of their keys, and that the tables grew by what was acknowledged.
-- Moments are seconds from 1970-01-01 UTC.

-- name: make customers
-- makes: table oe_customers
-- columns: customer_id first_name last_name language territory credit_limit email account_mgr_id customer_since customer_class suggestions date_of_birth mailshot partner_mailshot preferred_address preferred_card
CREATE TABLE oe_customers (
  customer_id NUMBER(19) NOT NULL, first_name VARCHAR2(40) NOT NULL, last_name VARCHAR2(40) NOT NULL,
  language VARCHAR2(3) NOT NULL, territory VARCHAR2(30) NOT NULL, credit_limit NUMBER(9,2) NOT NULL,
  email VARCHAR2(100) NOT NULL, account_mgr_id NUMBER(19) NOT NULL, customer_since DATE NOT NULL,
  customer_class VARCHAR2(40) NOT NULL, suggestions VARCHAR2(40) NOT NULL, date_of_birth DATE NOT NULL,
  mailshot VARCHAR2(1) NOT NULL, partner_mailshot VARCHAR2(1) NOT NULL, preferred_address NUMBER(19) NOT NULL,
  preferred_card NUMBER(19) NOT NULL, CONSTRAINT oe_customers_pk PRIMARY KEY (customer_id)
)

-- name: make addresses
-- makes: table oe_addresses
-- columns: address_id customer_id date_created house street town county country post_code zip_code
CREATE TABLE oe_addresses (
  address_id NUMBER(19) NOT NULL, customer_id NUMBER(19) NOT NULL, date_created DATE NOT NULL, house VARCHAR2(60) NOT NULL,
  street VARCHAR2(60) NOT NULL, town VARCHAR2(60) NOT NULL, county VARCHAR2(60) NOT NULL, country VARCHAR2(60) NOT NULL,
  post_code VARCHAR2(12) NOT NULL, zip_code VARCHAR2(12) NOT NULL, CONSTRAINT oe_addresses_pk PRIMARY KEY (address_id)
)

-- name: make cards
-- makes: table oe_cards
-- columns: card_id customer_id card_type card_number expiry_date is_valid security_code
CREATE TABLE oe_cards (
  card_id NUMBER(19) NOT NULL, customer_id NUMBER(19) NOT NULL, card_type VARCHAR2(30) NOT NULL,
  card_number NUMBER(19) NOT NULL, expiry_date DATE NOT NULL, is_valid VARCHAR2(1) NOT NULL,
  security_code NUMBER(10) NOT NULL, CONSTRAINT oe_cards_pk PRIMARY KEY (card_id)
)

-- name: make orders
-- makes: table oe_orders
-- columns: order_id order_date order_mode customer_id order_status order_total sales_rep_id promotion_id warehouse_id delivery_type cost_of_delivery wait_till_all_available delivery_address_id customer_class card_id invoice_address_id
CREATE TABLE oe_orders (
  order_id NUMBER(19) NOT NULL, order_date NUMBER(19) NOT NULL, order_mode VARCHAR2(8) NOT NULL,
  customer_id NUMBER(19) NOT NULL, order_status NUMBER(10) NOT NULL, order_total NUMBER(12,2) NOT NULL,
  sales_rep_id NUMBER(19) NOT NULL, promotion_id NUMBER(19) NOT NULL, warehouse_id NUMBER(19) NOT NULL,
  delivery_type VARCHAR2(15) NOT NULL, cost_of_delivery NUMBER(8,2) NOT NULL, wait_till_all_available VARCHAR2(15) NOT NULL,
  delivery_address_id NUMBER(19) NOT NULL, customer_class VARCHAR2(40) NOT NULL, card_id NUMBER(19) NOT NULL,
  invoice_address_id NUMBER(19) NOT NULL, CONSTRAINT oe_orders_pk PRIMARY KEY (order_id)
)

-- name: make items
-- makes: table oe_items
-- columns: order_id line_item_id product_id unit_price quantity dispatch_date return_date gift_wrap item_condition supplier_id estimated_delivery
CREATE TABLE oe_items (
  order_id NUMBER(19) NOT NULL, line_item_id NUMBER(10) NOT NULL, product_id NUMBER(19) NOT NULL,
  unit_price NUMBER(8,2) NOT NULL, quantity NUMBER(10) NOT NULL, dispatch_date DATE NOT NULL, return_date DATE NOT NULL,
  gift_wrap VARCHAR2(20) NOT NULL, item_condition VARCHAR2(20) NOT NULL, supplier_id NUMBER(19) NOT NULL,
  estimated_delivery DATE NOT NULL, CONSTRAINT oe_items_pk PRIMARY KEY (order_id, line_item_id)
)

-- name: make logons
-- makes: table oe_logons
-- columns: logon_id customer_id logon_date
CREATE TABLE oe_logons (
  logon_id NUMBER(19) NOT NULL, customer_id NUMBER(19) NOT NULL, logon_date NUMBER(19) NOT NULL,
  CONSTRAINT oe_logons_pk PRIMARY KEY (logon_id)
)

-- name: make inventories
-- makes: table oe_inventories
-- columns: product_id warehouse_id quantity_on_hand
CREATE TABLE oe_inventories (
  product_id NUMBER(19) NOT NULL, warehouse_id NUMBER(19) NOT NULL, quantity_on_hand NUMBER(10) NOT NULL,
  CONSTRAINT oe_inventories_pk PRIMARY KEY (product_id, warehouse_id)
) PCTFREE 50

-- name: make products
-- makes: table oe_products
-- columns: product_id product_name product_description category_id weight_class warranty_months supplier_id product_status list_price min_price catalog_url
CREATE TABLE oe_products (
  product_id NUMBER(19) NOT NULL, product_name VARCHAR2(50) NOT NULL, product_description VARCHAR2(100) NOT NULL,
  category_id NUMBER(10) NOT NULL, weight_class NUMBER(10) NOT NULL, warranty_months NUMBER(10) NOT NULL,
  supplier_id NUMBER(19) NOT NULL, product_status VARCHAR2(20) NOT NULL, list_price NUMBER(8,2) NOT NULL,
  min_price NUMBER(8,2) NOT NULL, catalog_url VARCHAR2(50) NOT NULL, CONSTRAINT oe_products_pk PRIMARY KEY (product_id)
)

-- name: make descriptions
-- makes: table oe_descriptions
-- columns: product_id language_id translated_name translated_description
CREATE TABLE oe_descriptions (
  product_id NUMBER(19) NOT NULL, language_id VARCHAR2(3) NOT NULL, translated_name VARCHAR2(50) NOT NULL,
  translated_description VARCHAR2(200) NOT NULL, CONSTRAINT oe_descriptions_pk PRIMARY KEY (product_id, language_id)
)

-- name: make warehouses
-- makes: table oe_warehouses
-- columns: warehouse_id warehouse_name location_id
CREATE TABLE oe_warehouses (
  warehouse_id NUMBER(19) NOT NULL, warehouse_name VARCHAR2(35) NOT NULL, location_id NUMBER(10) NOT NULL,
  CONSTRAINT oe_warehouses_pk PRIMARY KEY (warehouse_id)
)

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
CREATE PROCEDURE oe_register (p_first IN VARCHAR2, p_last IN VARCHAR2, p_done OUT NUMBER) IS
  v_customer NUMBER := oe_customer_seq.NEXTVAL;
  v_address NUMBER := oe_address_seq.NEXTVAL;
  v_card NUMBER := oe_card_seq.NEXTVAL;
BEGIN
  INSERT INTO oe_customers (customer_id, first_name, last_name, language, territory, credit_limit, email, account_mgr_id,
    customer_since, customer_class, suggestions, date_of_birth, mailshot, partner_mailshot, preferred_address, preferred_card)
  VALUES (v_customer, p_first, p_last, 'en', 'EUROPE', 1000, 'somebody@example.com', 1, TRUNC(SYSDATE), 'Occasional', 'Books',
    DATE '1980-01-01', 'Y', 'N', v_address, v_card);
  INSERT INTO oe_addresses (address_id, customer_id, date_created, house, street, town, county, country, post_code, zip_code)
  VALUES (v_address, v_customer, TRUNC(SYSDATE), 'Seven Oaks', 'Church Street', 'Newtown', 'Northshire', 'Kenya', 'abcdef', 'abcde');
  INSERT INTO oe_cards (card_id, customer_id, card_type, card_number, expiry_date, is_valid, security_code)
  VALUES (v_card, v_customer, 'Debit', 1111222233, TRUNC(SYSDATE) + 730, 'Y', 123);
  INSERT INTO oe_logons (logon_id, customer_id, logon_date)
  VALUES (oe_logon_seq.NEXTVAL, v_customer, ROUND((CAST(SYS_EXTRACT_UTC(SYSTIMESTAMP) AS DATE) - DATE '1970-01-01') * 86400));
  SELECT COUNT(email) INTO p_done FROM oe_customers WHERE customer_id = v_customer;
  COMMIT WRITE IMMEDIATE WAIT;
EXCEPTION
  WHEN OTHERS THEN
    ROLLBACK;
    RAISE;
END;

-- name: make update_customer
-- makes: procedure oe_update_customer
CREATE PROCEDURE oe_update_customer (p_last IN VARCHAR2, p_first IN VARCHAR2, p_done OUT NUMBER) IS
  v_customer NUMBER;
  v_address NUMBER;
BEGIN
  p_done := 0;
  SELECT MIN(customer_id) INTO v_customer
  FROM oe_customers WHERE LOWER(last_name) = LOWER(p_last) AND LOWER(first_name) = LOWER(p_first);
  IF v_customer IS NULL THEN
    RETURN;
  END IF;
  v_address := oe_address_seq.NEXTVAL;
  INSERT INTO oe_addresses (address_id, customer_id, date_created, house, street, town, county, country, post_code, zip_code)
  VALUES (v_address, v_customer, TRUNC(SYSDATE), 'Seven Oaks', 'Church Street', 'Newtown', 'Northshire', 'Kenya', 'abcdef', 'abcde');
  UPDATE oe_customers SET preferred_address = v_address WHERE customer_id = v_customer;
  p_done := 1;
  COMMIT WRITE IMMEDIATE WAIT;
EXCEPTION
  WHEN OTHERS THEN
    ROLLBACK;
    RAISE;
END;

-- name: make browse_products
-- makes: procedure oe_browse_products
-- what: looks at p_looks products that lie 37 apart, from p_product on
CREATE PROCEDURE oe_browse_products (
  p_customer IN NUMBER, p_product IN NUMBER, p_looks IN NUMBER, p_done OUT NUMBER
) IS
  v_seen NUMBER;
  v_product NUMBER;
BEGIN
  SELECT COUNT(email) INTO v_seen FROM oe_customers WHERE customer_id = p_customer;
  FOR n IN 0 .. p_looks - 1 LOOP
    v_product := 1 + MOD(p_product + 37 * n, 900);
    SELECT SUM(quantity_on_hand) INTO v_seen FROM (
      SELECT i.warehouse_id, i.quantity_on_hand, p.product_name, p.product_description, p.list_price
      FROM oe_products p JOIN oe_inventories i ON i.product_id = p.product_id
      WHERE p.product_id = v_product AND i.quantity_on_hand > 0 ORDER BY i.warehouse_id FETCH FIRST 15 ROWS ONLY) seen;
  END LOOP;
  INSERT INTO oe_logons (logon_id, customer_id, logon_date)
  VALUES (oe_logon_seq.NEXTVAL, p_customer, ROUND((CAST(SYS_EXTRACT_UTC(SYSTIMESTAMP) AS DATE) - DATE '1970-01-01') * 86400));
  p_done := 1;
  COMMIT WRITE IMMEDIATE WAIT;
EXCEPTION
  WHEN OTHERS THEN
    ROLLBACK;
    RAISE;
END;

-- name: make order_products
-- makes: procedure oe_order_products
-- what: an item of each of p_looks categories that lie 13 apart, from p_category on; p_pick decides which, and how many pieces
CREATE PROCEDURE oe_order_products (
  p_customer IN NUMBER, p_warehouse IN NUMBER, p_category IN NUMBER, p_looks IN NUMBER, p_pick IN NUMBER, p_done OUT NUMBER
) IS
  v_order NUMBER;
  v_address NUMBER;
  v_card NUMBER;
  v_category NUMBER;
  v_place NUMBER;
  v_product NUMBER;
  v_items NUMBER := 0;
  v_seen NUMBER;
BEGIN
  p_done := 0;
  SELECT COUNT(email) INTO v_seen FROM oe_customers WHERE customer_id = p_customer;
  SELECT MIN(address_id) INTO v_address FROM oe_addresses WHERE customer_id = p_customer;
  SELECT MIN(card_id) INTO v_card FROM oe_cards WHERE customer_id = p_customer;
  v_order := oe_order_seq.NEXTVAL;
  FOR n IN 0 .. p_looks - 1 LOOP
    v_category := 1 + MOD(p_category + 13 * n, 100);
    v_place := 1 + MOD(p_pick + n, 4);
    SELECT MAX(product_id) INTO v_product FROM (
      SELECT p.product_id, i.quantity_on_hand, ROW_NUMBER() OVER (ORDER BY p.product_id) AS place
      FROM oe_products p JOIN oe_inventories i ON i.product_id = p.product_id
      WHERE p.category_id = v_category AND i.warehouse_id = p_warehouse AND i.quantity_on_hand > 0) placed
    WHERE place = v_place AND quantity_on_hand >= 1 + MOD(product_id, 8);
    IF v_product IS NOT NULL THEN
      v_items := v_items + 1;
      INSERT INTO oe_items (order_id, line_item_id, product_id, unit_price, quantity, dispatch_date, return_date, gift_wrap,
        item_condition, supplier_id, estimated_delivery)
      SELECT v_order, v_items, product_id, list_price, 1 + MOD(product_id, 8), TRUNC(SYSDATE), TRUNC(SYSDATE) + 30, 'None', 'New',
             supplier_id, TRUNC(SYSDATE) + 3
      FROM oe_products WHERE product_id = v_product;
    END IF;
  END LOOP;
  IF v_items = 0 THEN
    RETURN;
  END IF;
  INSERT INTO oe_logons (logon_id, customer_id, logon_date)
  VALUES (oe_logon_seq.NEXTVAL, p_customer, ROUND((CAST(SYS_EXTRACT_UTC(SYSTIMESTAMP) AS DATE) - DATE '1970-01-01') * 86400));
  INSERT INTO oe_orders (order_id, order_date, order_mode, customer_id, order_status, order_total, sales_rep_id, promotion_id,
    warehouse_id, delivery_type, cost_of_delivery, wait_till_all_available, delivery_address_id, customer_class, card_id,
    invoice_address_id)
  SELECT v_order, ROUND((CAST(SYS_EXTRACT_UTC(SYSTIMESTAMP) AS DATE) - DATE '1970-01-01') * 86400), 'online', p_customer, 0, SUM(unit_price * quantity),
         1 + MOD(ROUND((CAST(SYS_EXTRACT_UTC(SYSTIMESTAMP) AS DATE) - DATE '1970-01-01') * 86400), 1000), 1, p_warehouse,
         'Standard', 2, 'ship_asap', v_address, 'Occasional', v_card, v_address
  FROM oe_items WHERE order_id = v_order;
  -- Whoever takes stock takes it in the order of products.
  FOR item IN (SELECT product_id, quantity FROM oe_items WHERE order_id = v_order ORDER BY product_id) LOOP
    UPDATE oe_inventories SET quantity_on_hand = quantity_on_hand - item.quantity
    WHERE product_id = item.product_id AND warehouse_id = p_warehouse AND quantity_on_hand >= item.quantity;
    IF SQL%ROWCOUNT = 0 THEN
      ROLLBACK;
      RETURN;
    END IF;
  END LOOP;
  p_done := v_items;
  COMMIT WRITE IMMEDIATE WAIT;
EXCEPTION
  WHEN OTHERS THEN
    ROLLBACK;
    RAISE;
END;

-- name: make process_orders
-- makes: procedure oe_process_orders
CREATE PROCEDURE oe_process_orders (p_warehouse IN NUMBER, p_done OUT NUMBER) IS
  v_items NUMBER;
BEGIN
  p_done := 0;
  FOR found IN (
    SELECT order_id FROM (
      SELECT o.order_id FROM oe_orders o JOIN oe_customers c ON c.customer_id = o.customer_id
      WHERE o.warehouse_id = p_warehouse AND o.order_status < 10 ORDER BY o.order_status, o.order_id FETCH FIRST 10 ROWS ONLY) oldest
    ORDER BY order_id)
  LOOP
    SELECT COUNT(*) INTO v_items FROM oe_items WHERE order_id = found.order_id;
    UPDATE oe_orders SET order_status = order_status + 1 WHERE order_id = found.order_id AND order_status < 10;
    p_done := p_done + SQL%ROWCOUNT;
  END LOOP;
  COMMIT WRITE IMMEDIATE WAIT;
EXCEPTION
  WHEN OTHERS THEN
    ROLLBACK;
    RAISE;
END;

-- name: make browse_orders
-- makes: procedure oe_browse_orders
-- what: p_pick decides which of the customer's orders, and which item
CREATE PROCEDURE oe_browse_orders (p_customer IN NUMBER, p_pick IN NUMBER, p_done OUT NUMBER) IS
  v_order NUMBER;
  v_line NUMBER;
  v_place NUMBER;
  v_seen NUMBER;
BEGIN
  p_done := 0;
  SELECT COUNT(email) INTO v_seen FROM oe_customers WHERE customer_id = p_customer;
  SELECT COUNT(town) INTO v_seen FROM oe_addresses WHERE customer_id = p_customer;
  SELECT LEAST(10, COUNT(*)) INTO v_seen FROM oe_orders WHERE customer_id = p_customer;
  IF v_seen = 0 THEN
    RETURN;
  END IF;
  v_place := 1 + MOD(p_pick, v_seen);
  SELECT order_id INTO v_order FROM (
    SELECT order_id, ROW_NUMBER() OVER (ORDER BY order_id DESC) AS place FROM oe_orders WHERE customer_id = p_customer) placed
  WHERE place = v_place;
  SELECT COUNT(*) INTO v_seen FROM oe_items WHERE order_id = v_order;
  v_place := 1 + MOD(p_pick, v_seen);
  SELECT line_item_id INTO v_line FROM (
    SELECT line_item_id, ROW_NUMBER() OVER (ORDER BY line_item_id) AS place FROM oe_items WHERE order_id = v_order) placed
  WHERE place = v_place;
  UPDATE oe_items SET quantity = quantity + 1 WHERE order_id = v_order AND line_item_id = v_line;
  UPDATE oe_orders
  SET order_total = order_total + (SELECT unit_price FROM oe_items WHERE order_id = v_order AND line_item_id = v_line)
  WHERE order_id = v_order;
  p_done := 1;
  COMMIT WRITE IMMEDIATE WAIT;
EXCEPTION
  WHEN OTHERS THEN
    ROLLBACK;
    RAISE;
END;

-- name: make sales_rep_query
-- makes: procedure oe_sales_rep_query
CREATE PROCEDURE oe_sales_rep_query (p_sales_rep IN NUMBER, p_done OUT NUMBER) IS
  v_seen NUMBER;
BEGIN
  SELECT COUNT(first_name) INTO v_seen FROM (
    SELECT o.order_id, o.order_date, o.order_total, c.first_name, c.last_name
    FROM oe_orders o JOIN oe_customers c ON c.customer_id = o.customer_id
    WHERE o.sales_rep_id = p_sales_rep ORDER BY o.order_total DESC, o.order_id FETCH FIRST 10 ROWS ONLY) best;
  p_done := 1;
END;

-- name: make warehouse_orders_query
-- makes: procedure oe_warehouse_orders_query
CREATE PROCEDURE oe_warehouse_orders_query (p_warehouse IN NUMBER, p_done OUT NUMBER) IS
  v_seen NUMBER;
BEGIN
  SELECT SUM(orders) INTO v_seen FROM (
    SELECT order_mode, order_status, COUNT(*) AS orders, SUM(order_total) AS total
    FROM oe_orders WHERE warehouse_id = p_warehouse GROUP BY CUBE (order_mode, order_status)) groups_of;
  p_done := 1;
END;

-- name: make warehouse_activity_query
-- makes: procedure oe_warehouse_activity_query
CREATE PROCEDURE oe_warehouse_activity_query (p_warehouse IN NUMBER, p_done OUT NUMBER) IS
  v_seen NUMBER;
  v_from NUMBER := ROUND((CAST(SYS_EXTRACT_UTC(SYSTIMESTAMP) AS DATE) - DATE '1970-01-01') * 86400) - 3600;
BEGIN
  SELECT SUM(orders) INTO v_seen FROM (
    SELECT order_date - MOD(order_date, 300) AS from_s, COUNT(*) AS orders, SUM(order_total) AS total
    FROM oe_orders WHERE warehouse_id = p_warehouse AND order_date >= v_from
    GROUP BY order_date - MOD(order_date, 300)) spans;
  p_done := 1;
END;

-- name: index all
-- what: those that an earlier load has not made
DECLARE
  there EXCEPTION;
  PRAGMA EXCEPTION_INIT(there, -955);
  v_ours NUMBER;
BEGIN
  FOR wanted IN (
    SELECT 'oe_customers_name ON oe_customers (LOWER(last_name), LOWER(first_name))' AS definition FROM dual UNION ALL
    SELECT 'oe_customers_email ON oe_customers (email)' FROM dual UNION ALL
    SELECT 'oe_customers_manager ON oe_customers (account_mgr_id)' FROM dual UNION ALL
    SELECT 'oe_addresses_customer ON oe_addresses (customer_id)' FROM dual UNION ALL
    SELECT 'oe_cards_customer ON oe_cards (customer_id)' FROM dual UNION ALL
    SELECT 'oe_orders_customer ON oe_orders (customer_id)' FROM dual UNION ALL
    SELECT 'oe_orders_warehouse ON oe_orders (warehouse_id, order_status, order_id)' FROM dual UNION ALL
    SELECT 'oe_orders_sales_rep ON oe_orders (sales_rep_id)' FROM dual UNION ALL
    SELECT 'oe_orders_date ON oe_orders (order_date)' FROM dual UNION ALL
    SELECT 'oe_items_product ON oe_items (product_id)' FROM dual UNION ALL
    SELECT 'oe_logons_customer ON oe_logons (customer_id)' FROM dual UNION ALL
    SELECT 'oe_logons_date ON oe_logons (logon_date)' FROM dual UNION ALL
    SELECT 'oe_inventories_warehouse ON oe_inventories (warehouse_id)' FROM dual UNION ALL
    SELECT 'oe_products_category ON oe_products (category_id)' FROM dual UNION ALL
    SELECT 'oe_products_supplier ON oe_products (supplier_id)' FROM dual UNION ALL
    SELECT 'oe_products_name ON oe_products (product_name)' FROM dual UNION ALL
    SELECT 'oe_descriptions_name ON oe_descriptions (translated_name)' FROM dual UNION ALL
    SELECT 'oe_warehouses_location ON oe_warehouses (location_id)' FROM dual)
  LOOP
    BEGIN
      EXECUTE IMMEDIATE 'CREATE INDEX ' || wanted.definition;
    EXCEPTION
      WHEN there THEN
        -- Something else may have its name.
        SELECT COUNT(*) INTO v_ours FROM user_indexes
        WHERE wanted.definition LIKE LOWER(index_name) || ' ON ' || LOWER(table_name) || ' %';
        IF v_ours = 0 THEN
          RAISE;
        END IF;
    END;
  END LOOP;
END;

-- name: finish statistics_customers
BEGIN
  DBMS_STATS.GATHER_TABLE_STATS(ownname => USER, tabname => 'OE_CUSTOMERS');
END;

-- name: finish statistics_addresses
BEGIN
  DBMS_STATS.GATHER_TABLE_STATS(ownname => USER, tabname => 'OE_ADDRESSES');
END;

-- name: finish statistics_cards
BEGIN
  DBMS_STATS.GATHER_TABLE_STATS(ownname => USER, tabname => 'OE_CARDS');
END;

-- name: finish statistics_orders
BEGIN
  DBMS_STATS.GATHER_TABLE_STATS(ownname => USER, tabname => 'OE_ORDERS');
END;

-- name: finish statistics_items
BEGIN
  DBMS_STATS.GATHER_TABLE_STATS(ownname => USER, tabname => 'OE_ITEMS');
END;

-- name: finish statistics_logons
BEGIN
  DBMS_STATS.GATHER_TABLE_STATS(ownname => USER, tabname => 'OE_LOGONS');
END;

-- name: finish statistics_inventories
BEGIN
  DBMS_STATS.GATHER_TABLE_STATS(ownname => USER, tabname => 'OE_INVENTORIES');
END;

-- name: finish statistics_products
BEGIN
  DBMS_STATS.GATHER_TABLE_STATS(ownname => USER, tabname => 'OE_PRODUCTS');
END;

-- name: finish statistics_descriptions
BEGIN
  DBMS_STATS.GATHER_TABLE_STATS(ownname => USER, tabname => 'OE_DESCRIPTIONS');
END;

-- name: finish statistics_warehouses
BEGIN
  DBMS_STATS.GATHER_TABLE_STATS(ownname => USER, tabname => 'OE_WAREHOUSES');
END;

-- name: client find_customer
SELECT preferred_address, preferred_card, first_name, last_name, email, customer_class, credit_limit
FROM oe_customers WHERE customer_id = :1

-- name: client customer_addresses
SELECT address_id, house, street, town, county, country, post_code, zip_code
FROM oe_addresses WHERE customer_id = :1 ORDER BY address_id FETCH FIRST 5 ROWS ONLY

-- name: client customer_cards
SELECT card_id, card_type, card_number, expiry_date, is_valid
FROM oe_cards WHERE customer_id = :1 ORDER BY card_id FETCH FIRST 5 ROWS ONLY

-- name: client customer_by_name
-- what: :1 last name, :2 first name
SELECT customer_id, email, territory, customer_class
FROM oe_customers WHERE LOWER(last_name) = LOWER(:1) AND LOWER(first_name) = LOWER(:2) ORDER BY customer_id FETCH FIRST 5 ROWS ONLY

-- name: client browse_product
SELECT i.warehouse_id, i.quantity_on_hand, p.product_name, p.product_description, p.list_price
FROM oe_products p JOIN oe_inventories i ON i.product_id = p.product_id
WHERE p.product_id = :1 AND i.quantity_on_hand > 0 ORDER BY i.warehouse_id FETCH FIRST 15 ROWS ONLY

-- name: client browse_category
-- what: :1 category, :2 warehouse
SELECT p.product_id, i.quantity_on_hand, p.product_name, p.list_price
FROM oe_products p JOIN oe_inventories i ON i.product_id = p.product_id
WHERE p.category_id = :1 AND i.warehouse_id = :2 AND i.quantity_on_hand > 0 ORDER BY p.product_id FETCH FIRST 4 ROWS ONLY

-- name: client new_customer_keys
SELECT oe_customer_seq.NEXTVAL, oe_address_seq.NEXTVAL, oe_card_seq.NEXTVAL,
       oe_logon_seq.NEXTVAL
FROM dual

-- name: client insert_customer
-- what: :1 customer, :2 first name, :3 last name, :4 address, :5 card
INSERT INTO oe_customers (customer_id, first_name, last_name, language, territory, credit_limit, email, account_mgr_id,
  customer_since, customer_class, suggestions, date_of_birth, mailshot, partner_mailshot, preferred_address, preferred_card)
VALUES (:1, :2, :3, 'en', 'EUROPE', 1000, 'somebody@example.com', 1, TRUNC(SYSDATE), 'Occasional', 'Books', DATE '1980-01-01', 'Y', 'N',
  :4, :5)

-- name: client insert_address
-- what: :1 address, :2 customer
INSERT INTO oe_addresses (address_id, customer_id, date_created, house, street, town, county, country, post_code, zip_code)
VALUES (:1, :2, TRUNC(SYSDATE), 'Seven Oaks', 'Church Street', 'Newtown', 'Northshire', 'Kenya', 'abcdef', 'abcde')

-- name: client insert_card
-- what: :1 card, :2 customer
INSERT INTO oe_cards (card_id, customer_id, card_type, card_number, expiry_date, is_valid, security_code)
VALUES (:1, :2, 'Debit', 1111222233, TRUNC(SYSDATE) + 730, 'Y', 123)

-- name: client insert_logon
-- what: :1 logon, :2 customer
INSERT INTO oe_logons (logon_id, customer_id, logon_date) VALUES (:1, :2, ROUND((CAST(SYS_EXTRACT_UTC(SYSTIMESTAMP) AS DATE) - DATE '1970-01-01') * 86400))

-- name: client log_visit
INSERT INTO oe_logons (logon_id, customer_id, logon_date)
VALUES (oe_logon_seq.NEXTVAL, :1, ROUND((CAST(SYS_EXTRACT_UTC(SYSTIMESTAMP) AS DATE) - DATE '1970-01-01') * 86400))

-- name: client new_address_key
SELECT oe_address_seq.NEXTVAL FROM dual

-- name: client prefer_address
-- what: :1 address, :2 customer
UPDATE oe_customers SET preferred_address = :1 WHERE customer_id = :2

-- name: client new_order_keys
SELECT oe_order_seq.NEXTVAL, oe_logon_seq.NEXTVAL FROM dual

-- name: client insert_order
-- what: :1 order, :2 customer, :3 warehouse, :4 and :6 address, :5 card; sales representatives take turns by the second
INSERT INTO oe_orders (order_id, order_date, order_mode, customer_id, order_status, order_total, sales_rep_id, promotion_id,
  warehouse_id, delivery_type, cost_of_delivery, wait_till_all_available, delivery_address_id, customer_class, card_id,
  invoice_address_id)
VALUES (:1, ROUND((CAST(SYS_EXTRACT_UTC(SYSTIMESTAMP) AS DATE) - DATE '1970-01-01') * 86400), 'online', :2, 0, 0, 1 + MOD(ROUND((CAST(SYS_EXTRACT_UTC(SYSTIMESTAMP) AS DATE) - DATE '1970-01-01') * 86400), 1000), 1, :3, 'Standard', 2, 'ship_asap', :4, 'Occasional', :5, :6)

-- name: client insert_item
-- what: :1 order, :2 line, :3 pieces, :4 product
INSERT INTO oe_items (order_id, line_item_id, product_id, unit_price, quantity, dispatch_date, return_date, gift_wrap,
  item_condition, supplier_id, estimated_delivery)
SELECT :1, :2, product_id, list_price, :3, TRUNC(SYSDATE), TRUNC(SYSDATE) + 30, 'None', 'New', supplier_id,
       TRUNC(SYSDATE) + 3
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
WHERE o.warehouse_id = :1 AND o.order_status < 10 ORDER BY o.order_status, o.order_id FETCH FIRST 10 ROWS ONLY

-- name: client process_order
UPDATE oe_orders SET order_status = order_status + 1 WHERE order_id = :1 AND order_status < 10

-- name: client customer_orders
SELECT order_id, order_date, order_status, order_total
FROM oe_orders WHERE customer_id = :1 ORDER BY order_id DESC FETCH FIRST 10 ROWS ONLY

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
WHERE o.sales_rep_id = :1 ORDER BY o.order_total DESC, o.order_id FETCH FIRST 10 ROWS ONLY

-- name: client warehouse_orders
-- what: orders of a warehouse by mode and status, by each of them, and all
SELECT order_mode, order_status, COUNT(*) AS orders, SUM(order_total) AS total
FROM oe_orders WHERE warehouse_id = :1 GROUP BY CUBE (order_mode, order_status) ORDER BY order_mode, order_status

-- name: client warehouse_activity
-- what: orders of a warehouse in the last hour, by five minutes
SELECT order_date - MOD(order_date, 300) AS from_s, COUNT(*) AS orders, SUM(order_total) AS total
FROM oe_orders WHERE warehouse_id = :1 AND order_date >= ROUND((CAST(SYS_EXTRACT_UTC(SYSTIMESTAMP) AS DATE) - DATE '1970-01-01') * 86400) - 3600
GROUP BY order_date - MOD(order_date, 300) ORDER BY from_s

-- name: server register
-- what: :1 first name, :2 last name; each call answers with 0 where there was nothing to do
-- outputs: int
BEGIN
  oe_register(:1, :2, :3);
END;

-- name: server update_customer
-- what: :1 last name, :2 first name
-- outputs: int
BEGIN
  oe_update_customer(:1, :2, :3);
END;

-- name: server browse_products
-- what: :1 customer, :2 first product, :3 how many
-- outputs: int
BEGIN
  oe_browse_products(:1, :2, :3, :4);
END;

-- name: server order_products
-- what: :1 customer, :2 warehouse, :3 first category, :4 how many, :5 what is picked; answers with the number of items
-- outputs: int
BEGIN
  oe_order_products(:1, :2, :3, :4, :5, :6);
END;

-- name: server process_orders
-- what: :1 warehouse
-- outputs: int
BEGIN
  oe_process_orders(:1, :2);
END;

-- name: server browse_orders
-- what: :1 customer, :2 what is picked
-- outputs: int
BEGIN
  oe_browse_orders(:1, :2, :3);
END;

-- name: server sales_rep_query
-- what: :1 sales representative
-- outputs: int
BEGIN
  oe_sales_rep_query(:1, :2);
END;

-- name: server warehouse_orders_query
-- what: :1 warehouse
-- outputs: int
BEGIN
  oe_warehouse_orders_query(:1, :2);
END;

-- name: server warehouse_activity_query
-- what: :1 warehouse
-- outputs: int
BEGIN
  oe_warehouse_activity_query(:1, :2);
END;

-- name: look
-- what: rows of six tables; orders with another total; stocks below zero; items without order, without product;
-- also: sequences behind their keys; pieces in stock and in orders; the sum of the status; customers with another address
SELECT (SELECT COUNT(*) FROM oe_customers), (SELECT COUNT(*) FROM oe_addresses),
       (SELECT COUNT(*) FROM oe_cards), (SELECT COUNT(*) FROM oe_orders), (SELECT COUNT(*) FROM oe_items),
       (SELECT COUNT(*) FROM oe_logons),
       (SELECT COUNT(*) FROM oe_orders o
        LEFT JOIN (SELECT order_id, SUM(unit_price * quantity) AS total FROM oe_items GROUP BY order_id) i
        ON i.order_id = o.order_id WHERE DECODE(i.total, o.order_total, 1, 0) = 0),
       (SELECT COUNT(*) FROM oe_inventories WHERE quantity_on_hand < 0),
       (SELECT COUNT(*) FROM oe_items i LEFT JOIN oe_orders o ON o.order_id = i.order_id WHERE o.order_id IS NULL),
       (SELECT COUNT(*) FROM oe_items i LEFT JOIN oe_products p ON p.product_id = i.product_id
        WHERE p.product_id IS NULL),
       (SELECT COUNT(*) FROM (
          SELECT (SELECT last_number - 1 FROM user_sequences WHERE sequence_name = 'OE_CUSTOMER_SEQ') AS seq, (SELECT MAX(customer_id) FROM oe_customers) AS high FROM dual
          UNION ALL SELECT (SELECT last_number - 1 FROM user_sequences WHERE sequence_name = 'OE_ADDRESS_SEQ'), (SELECT MAX(address_id) FROM oe_addresses) FROM dual
          UNION ALL SELECT (SELECT last_number - 1 FROM user_sequences WHERE sequence_name = 'OE_CARD_SEQ'), (SELECT MAX(card_id) FROM oe_cards) FROM dual
          UNION ALL SELECT (SELECT last_number - 1 FROM user_sequences WHERE sequence_name = 'OE_ORDER_SEQ'), (SELECT MAX(order_id) FROM oe_orders) FROM dual
          UNION ALL SELECT (SELECT last_number - 1 FROM user_sequences WHERE sequence_name = 'OE_LOGON_SEQ'), (SELECT MAX(logon_id) FROM oe_logons) FROM dual)
        WHERE seq < high),
       (SELECT SUM(quantity) FROM oe_items) + (SELECT SUM(quantity_on_hand) FROM oe_inventories),
       (SELECT SUM(order_status) FROM oe_orders),
       (SELECT COUNT(*) FROM oe_customers c
        LEFT JOIN oe_addresses a ON a.address_id = c.preferred_address AND a.customer_id = c.customer_id
        WHERE a.address_id IS NULL OR (a.address_id <= {addresses_rows} AND c.customer_id IN
         (SELECT customer_id FROM oe_addresses WHERE address_id > {addresses_rows})))
FROM dual

-- name: keys orders
SELECT o.order_id FROM oe_orders o
LEFT JOIN (SELECT order_id, SUM(unit_price * quantity) AS total FROM oe_items GROUP BY order_id) i ON i.order_id = o.order_id
WHERE DECODE(i.total, o.order_total, 1, 0) = 0 ORDER BY o.order_id FETCH FIRST 10 ROWS ONLY

-- name: keys inventories
-- what: product, a slash and warehouse
SELECT product_id || '/' || warehouse_id FROM oe_inventories WHERE quantity_on_hand < 0
ORDER BY product_id, warehouse_id FETCH FIRST 10 ROWS ONLY

-- name: keys items without order
-- what: order, a slash and line
SELECT i.order_id || '/' || i.line_item_id FROM oe_items i LEFT JOIN oe_orders o ON o.order_id = i.order_id
WHERE o.order_id IS NULL ORDER BY i.order_id, i.line_item_id FETCH FIRST 10 ROWS ONLY

-- name: keys items without product
SELECT i.order_id || '/' || i.line_item_id FROM oe_items i LEFT JOIN oe_products p ON p.product_id = i.product_id
WHERE p.product_id IS NULL ORDER BY i.order_id, i.line_item_id FETCH FIRST 10 ROWS ONLY

-- name: keys sequences
-- what: tables whose sequence is behind, with their highest keys
SELECT name || high FROM (
  SELECT 'customers ' AS name, (SELECT last_number - 1 FROM user_sequences WHERE sequence_name = 'OE_CUSTOMER_SEQ') AS seq,
         (SELECT MAX(customer_id) FROM oe_customers) AS high FROM dual
  UNION ALL SELECT 'addresses ', (SELECT last_number - 1 FROM user_sequences WHERE sequence_name = 'OE_ADDRESS_SEQ'),
         (SELECT MAX(address_id) FROM oe_addresses) FROM dual
  UNION ALL SELECT 'cards ', (SELECT last_number - 1 FROM user_sequences WHERE sequence_name = 'OE_CARD_SEQ'),
         (SELECT MAX(card_id) FROM oe_cards) FROM dual
  UNION ALL SELECT 'orders ', (SELECT last_number - 1 FROM user_sequences WHERE sequence_name = 'OE_ORDER_SEQ'),
         (SELECT MAX(order_id) FROM oe_orders) FROM dual
  UNION ALL SELECT 'logons ', (SELECT last_number - 1 FROM user_sequences WHERE sequence_name = 'OE_LOGON_SEQ'),
         (SELECT MAX(logon_id) FROM oe_logons) FROM dual)
WHERE seq < high

-- name: keys customers
SELECT c.customer_id FROM oe_customers c
LEFT JOIN oe_addresses a ON a.address_id = c.preferred_address AND a.customer_id = c.customer_id
WHERE a.address_id IS NULL OR (a.address_id <= {addresses_rows} AND c.customer_id IN
  (SELECT customer_id FROM oe_addresses WHERE address_id > {addresses_rows}))
ORDER BY c.customer_id FETCH FIRST 10 ROWS ONLY

-- name: indexes
-- what: each index of the tables, that statements can use, as the server describes it
-- made: 28
SELECT i.table_name || ' ' || i.index_name || ' ' || i.index_type || ' ' || i.uniqueness || ' '
    || LISTAGG(c.column_name, ',') WITHIN GROUP (ORDER BY c.column_position)
FROM user_indexes i JOIN user_ind_columns c ON c.index_name = i.index_name
WHERE i.status = 'VALID' AND i.visibility = 'VISIBLE' AND i.table_name IN (
  'OE_CUSTOMERS', 'OE_ADDRESSES', 'OE_CARDS', 'OE_ORDERS', 'OE_ITEMS', 'OE_LOGONS', 'OE_INVENTORIES',
  'OE_PRODUCTS', 'OE_DESCRIPTIONS', 'OE_WAREHOUSES')
GROUP BY i.table_name, i.index_name, i.index_type, i.uniqueness ORDER BY i.table_name, i.index_name

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
FROM dual
