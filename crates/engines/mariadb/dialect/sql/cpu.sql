-- The procedures of the class T100: procedural code, no tables. Their signature is `procedure` in procedures.sql, which
-- goes before each of them. Random numbers are those of the job's key stream, a multiplicative congruential generator (a
-- multiplication and a remainder, counted as one random number): results do not depend on how passes are cut, and a call
-- can begin anywhere in the stream, which RAND() cannot. A mix stands between /*mix*/ and /*end*/, and nothing in it is
-- constant.

-- name: cpu_loop
-- proves: nothing but the time that the passes take; the server removes no empty loop
-- touches: no table
BEGIN
  DECLARE v_pass BIGINT DEFAULT 0;
  WHILE v_pass < p_passes DO
    SET v_pass = v_pass + 1;
  END WHILE;
  SET p_ops = p_passes * p_ops_per_pass, p_checksum = p_passes;
END

-- name: cpu_random_number
-- proves: one random number a pass; the sum is that of the job's key stream
-- touches: no table
BEGIN
  DECLARE v_pass BIGINT DEFAULT 0;
  WHILE v_pass < p_passes DO
    SET p_state = p_state * 48271 % 2147483647;
    SET p_checksum = p_checksum + p_state, v_pass = v_pass + 1;
  END WHILE;
  SET p_ops = p_passes * p_ops_per_pass;
END

-- name: cpu_random_string
-- proves: one random string of 32 characters a pass; the sum of their lengths is 32 times the passes
-- touches: no table
BEGIN
  DECLARE v_pass BIGINT DEFAULT 0;
  DECLARE v_text VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin;
  WHILE v_pass < p_passes DO
    SET p_state = p_state * 48271 % 2147483647;
    SET v_text = CONCAT(LPAD(HEX(p_state * 4294967291), 16, '0'), LPAD(HEX(p_state * 3141592653), 16, '0'));
    SET p_checksum = p_checksum + LENGTH(v_text), v_pass = v_pass + 1;
  END WHILE;
  SET p_ops = p_passes * p_ops_per_pass;
END

-- name: cpu_integer_mix
-- proves: 38 operations a pass: 1 random, 8 add, 7 subtract, 4 multiply, 3 divide, 6 abs, 3 sqrt, 3 power, 3 ln
-- not counted: the mask that brings the random number into 0..1023, and casts: sqrt, power and ln answer with doubles
-- touches: no table
BEGIN
  DECLARE v_pass, v_x BIGINT DEFAULT 0;
  WHILE v_pass < p_passes DO
    SET p_state = p_state * 48271 % 2147483647;
    SET v_x = CAST(p_state & 1023 AS SIGNED);
    SET p_checksum = p_checksum + (
/*mix*/
      (CAST(SQRT(ABS(v_x - 511) + 2) AS SIGNED) * CAST(LN(v_x + 3) AS SIGNED) + ABS(CAST(POWER(v_x, 2) AS SIGNED) - 1001) DIV 3
     + CAST(SQRT(ABS(v_x - 255) + 5) AS SIGNED) * CAST(LN(v_x + 4) AS SIGNED) + ABS(CAST(POWER(v_x, 2) AS SIGNED) - 2002) DIV 7)
     * (CAST(SQRT(ABS(v_x - 127)) AS SIGNED) * CAST(LN(v_x + 5) AS SIGNED) - ABS(CAST(POWER(v_x, 2) AS SIGNED) - 3003) DIV 11)
/*end*/
    ), v_pass = v_pass + 1;
  END WHILE;
  SET p_ops = p_passes * p_ops_per_pass;
END

-- name: cpu_decimal_mix
-- proves: the same 38 operations on DECIMAL, MariaDB's exact decimal
-- not counted: the mask that brings the random number into 0..1023, and casts: sqrt, power and ln answer with doubles
-- touches: no table
BEGIN
  DECLARE v_pass BIGINT DEFAULT 0;
  DECLARE v_x DECIMAL(30,10) DEFAULT 0;
  WHILE v_pass < p_passes DO
    SET p_state = p_state * 48271 % 2147483647;
    SET v_x = p_state & 1023;
    SET p_checksum = p_checksum + CAST(
/*mix*/
      (CAST(SQRT(ABS(v_x - 511.5) + 1.5) AS DECIMAL(30,10)) * CAST(LN(v_x + 2.5) AS DECIMAL(30,10)) + ABS(CAST(POWER(v_x, 0.5) AS DECIMAL(30,10)) - 10.25) / 3.5
     + CAST(SQRT(ABS(v_x - 255.5) + 2.5) AS DECIMAL(30,10)) * CAST(LN(v_x + 3.5) AS DECIMAL(30,10)) + ABS(CAST(POWER(v_x, 0.25) AS DECIMAL(30,10)) - 1.25) / 4.5)
     * (CAST(SQRT(ABS(v_x - 127.5)) AS DECIMAL(30,10)) * CAST(LN(v_x + 4.5) AS DECIMAL(30,10)) - ABS(CAST(POWER(v_x, 0.75) AS DECIMAL(30,10)) - 100.25) / 5.5)
/*end*/
    AS SIGNED), v_pass = v_pass + 1;
  END WHILE;
  SET p_ops = p_passes * p_ops_per_pass;
END

-- name: cpu_float_mix
-- proves: the same 38 operations from a FLOAT; each result but the last stays a double, as there is no other arithmetic
-- not counted: the mask that brings the random number into 0..1023, and the cast of the result
-- touches: no table
BEGIN
  DECLARE v_pass BIGINT DEFAULT 0;
  DECLARE v_x, v_y FLOAT DEFAULT 0;
  WHILE v_pass < p_passes DO
    SET p_state = p_state * 48271 % 2147483647;
    SET v_x = p_state & 1023;
    SET v_y =
/*mix*/
      (SQRT(ABS(v_x - 511.5e0) + 1.5e0) * LN(v_x + 2.5e0) + ABS(POWER(v_x, 0.5e0) - 10.25e0) / 3.5e0
     + SQRT(ABS(v_x - 255.5e0) + 2.5e0) * LN(v_x + 3.5e0) + ABS(POWER(v_x, 0.25e0) - 1.25e0) / 4.5e0)
     * (SQRT(ABS(v_x - 127.5e0)) * LN(v_x + 4.5e0) - ABS(POWER(v_x, 0.75e0) - 100.25e0) / 5.5e0)
/*end*/
    ;
    SET p_checksum = p_checksum + CAST(v_y AS SIGNED), v_pass = v_pass + 1;
  END WHILE;
  SET p_ops = p_passes * p_ops_per_pass;
END

-- name: cpu_double_mix
-- proves: the same 38 operations on DOUBLE
-- not counted: the mask that brings the random number into 0..1023, and the cast of the result
-- touches: no table
BEGIN
  DECLARE v_pass BIGINT DEFAULT 0;
  DECLARE v_x, v_y DOUBLE DEFAULT 0;
  WHILE v_pass < p_passes DO
    SET p_state = p_state * 48271 % 2147483647;
    SET v_x = p_state & 1023;
    SET v_y =
/*mix*/
      (SQRT(ABS(v_x - 511.5e0) + 1.5e0) * LN(v_x + 2.5e0) + ABS(POWER(v_x, 0.5e0) - 10.25e0) / 3.5e0
     + SQRT(ABS(v_x - 255.5e0) + 2.5e0) * LN(v_x + 3.5e0) + ABS(POWER(v_x, 0.25e0) - 1.25e0) / 4.5e0)
     * (SQRT(ABS(v_x - 127.5e0)) * LN(v_x + 4.5e0) - ABS(POWER(v_x, 0.75e0) - 100.25e0) / 5.5e0)
/*end*/
    ;
    SET p_checksum = p_checksum + CAST(v_y AS SIGNED), v_pass = v_pass + 1;
  END WHILE;
  SET p_ops = p_passes * p_ops_per_pass;
END

-- name: cpu_string_mix
-- proves: 29 operations a pass: 1 random string, 6 instr, 9 concat, 3 length, 3 substr, 1 chr, 5 upper, 1 mod
-- touches: no table
BEGIN
  DECLARE v_pass BIGINT DEFAULT 0;
  DECLARE v_text VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin;
  WHILE v_pass < p_passes DO
    SET p_state = p_state * 48271 % 2147483647;
    SET v_text = CONCAT(LPAD(HEX(p_state * 4294967291), 16, '0'), LPAD(HEX(p_state * 3141592653), 16, '0'));
    SET p_checksum = p_checksum +
/*mix*/
      MOD(LENGTH(CONCAT(CONCAT(CONCAT(CONCAT(CONCAT(CONCAT(CONCAT(UPPER(SUBSTR(v_text, 1, 16)), INSTR(v_text, 'A0')),
        INSTR(v_text, 'B')), INSTR(v_text, 'C')), UPPER(CONCAT(SUBSTR(v_text, 9, 8), CHAR((v_pass & 15) + 65 USING ascii)))), INSTR(UPPER(v_text), 'D')),
        LENGTH(UPPER(CONCAT(SUBSTR(v_text, INSTR(v_text, '1'), 8), INSTR(v_text, 'F0'))))), LENGTH(UPPER(v_text)))), 97)
/*end*/
    , v_pass = v_pass + 1;
  END WHILE;
  SET p_ops = p_passes * p_ops_per_pass;
END

-- name: fibonacci
-- what: the naive recursion that cpu_fibonacci calls; a procedure, because functions may not call themselves
CREATE PROCEDURE fibonacci(IN p_n INT, OUT p_result BIGINT) NO SQL SQL SECURITY INVOKER
BEGIN
  DECLARE v_one, v_other BIGINT;
  IF p_n < 2 THEN
    SET p_result = p_n;
  ELSE
    CALL fibonacci(p_n - 1, v_one);
    CALL fibonacci(p_n - 2, v_other);
    SET p_result = v_one + v_other;
  END IF;
END

-- name: cpu_fibonacci
-- proves: the leaves of the call tree add up to the Fibonacci number; the operations are its calls, 2 F(n + 1) - 1
-- touches: no table
-- calls: cpu/fibonacci
BEGIN
  DECLARE v_pass, v_i, v_result, v_swap BIGINT DEFAULT 0;
  DECLARE v_this, v_next BIGINT DEFAULT 1;
  WHILE v_i < p_argument DO
    SET v_swap = v_this + v_next, v_this = v_next, v_next = v_swap, v_i = v_i + 1;
  END WHILE;
  WHILE v_pass < p_passes DO
    CALL fibonacci(p_argument, v_result);
    SET p_checksum = p_checksum + v_result, p_ops = p_ops + 2 * v_this - 1, v_pass = v_pass + 1;
  END WHILE;
END

-- name: cpu_primes
-- proves: every number up to the argument is tested by trial division up to its root; the checksum counts the primes
-- touches: no table
BEGIN
  DECLARE v_pass, v_n, v_divisor BIGINT DEFAULT 0;
  WHILE v_pass < p_passes DO
    SET v_n = p_argument + 1 - p_ops_per_pass;
    WHILE v_n <= p_argument DO
      SET v_divisor = 2;
      WHILE v_divisor * v_divisor <= v_n AND v_n % v_divisor <> 0 DO
        SET v_divisor = v_divisor + 1;
      END WHILE;
      IF v_n > 1 AND v_divisor * v_divisor > v_n THEN
        SET p_checksum = p_checksum + 1;
      END IF;
      SET p_ops = p_ops + 1, v_n = v_n + 1;
    END WHILE;
    SET v_pass = v_pass + 1;
  END WHILE;
END
