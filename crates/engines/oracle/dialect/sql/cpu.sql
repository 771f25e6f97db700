-- The procedures of the class T100: procedural code, no tables. Their signature is in procedures.sql. Random numbers are those of
-- the job's key stream, a multiplicative congruential generator (a multiplication and a remainder, counted as one random
-- number): results do not depend on how passes are cut, and a call can begin anywhere in the stream, which DBMS_RANDOM cannot.
-- Where a test is about binary numbers the generator is one, too: every product is below 2 to the 53rd, so none is rounded.
-- A mix stands between /*mix*/ and /*end*/, and nothing in it is constant. The compiler works at level 2 (procedure.rs), which
-- removes no loop that counts.

-- name: declarations
-- what: variables that every procedure has: passes done, how many there are, and the sum so far; loops count in PLS_INTEGER
    v_pass PLS_INTEGER := 0;
    v_passes PLS_INTEGER := p_passes;
    v_rows NUMBER := 0;
    v_sum NUMBER := 0;

-- name: cpu_loop
-- proves: nothing but the time that the passes take
-- touches: no table
BEGIN
    WHILE v_pass < v_passes LOOP
      v_pass := v_pass + 1;
    END LOOP;
    v_sum := v_pass;
    {results}

-- name: cpu_random_number
-- proves: one random number a pass; the sum is that of the job's key stream
-- touches: no table
    v_state NUMBER := p_state;
BEGIN
    WHILE v_pass < v_passes LOOP
      v_state := MOD(v_state * 48271, 2147483647);
      v_sum := v_sum + v_state;
      v_pass := v_pass + 1;
    END LOOP;
    {results}

-- name: cpu_random_string
-- proves: one random string of 32 characters a pass; the sum of their lengths is 32 times the passes
-- touches: no table
    v_state NUMBER := p_state;
    v_text VARCHAR2(32);
BEGIN
    WHILE v_pass < v_passes LOOP
      v_state := MOD(v_state * 48271, 2147483647);
      v_text := CONCAT(LPAD(TO_CHAR(v_state * 4294967291, 'FMXXXXXXXXXXXXXXXX'), 16, '0'),
        LPAD(TO_CHAR(v_state * 3141592653, 'FMXXXXXXXXXXXXXXXX'), 16, '0'));
      v_sum := v_sum + LENGTH(v_text);
      v_pass := v_pass + 1;
    END LOOP;
    {results}

-- name: cpu_integer_mix
-- proves: 38 operations a pass: 1 random, 8 add, 7 subtract, 4 multiply, 3 divide, 6 abs, 3 sqrt, 3 power, 3 ln
-- how: PL/SQL has sqrt, power, ln and division of integers as NUMBER only, and rounds when it assigns them to an integer
-- not counted: the remainder that brings the random number into 0..1023, and conversions
-- touches: no table
    v_state NUMBER := p_state;
    v_x PLS_INTEGER;
    v_root PLS_INTEGER;
    v_log PLS_INTEGER;
    v_square PLS_INTEGER;
    v_one PLS_INTEGER;
    v_two PLS_INTEGER;
    v_three PLS_INTEGER;
BEGIN
    WHILE v_pass < v_passes LOOP
      v_state := MOD(v_state * 48271, 2147483647);
      v_x := MOD(v_state, 1024);
/*mix*/
      v_root := SQRT(ABS(v_x - 511) + 2);
      v_log := LN(v_x + 3);
      v_square := POWER(v_x, 2);
      v_one := v_root * v_log + ABS(v_square - 1001) / 97;
      v_root := SQRT(ABS(v_x - 255) + 5);
      v_log := LN(v_x + 4);
      v_square := POWER(v_x, 2);
      v_two := v_root * v_log + ABS(v_square - 2002) / 89;
      v_root := SQRT(ABS(v_x - 127));
      v_log := LN(v_x + 5);
      v_square := POWER(v_x, 2);
      v_three := v_root * v_log - ABS(v_square - 3003) / 83;
      v_one := (v_one + v_two) * v_three;
/*end*/
      v_sum := v_sum + v_one;
      v_pass := v_pass + 1;
    END LOOP;
    {results}

-- name: cpu_decimal_mix
-- proves: the same 38 operations on NUMBER, Oracle's exact decimal
-- not counted: the remainder that brings the random number into 0..1023, and the truncation of the result
-- touches: no table
    v_state NUMBER := p_state;
    v_x NUMBER;
    v_one NUMBER;
    v_two NUMBER;
BEGIN
    WHILE v_pass < v_passes LOOP
      v_state := MOD(v_state * 48271, 2147483647);
      v_x := MOD(v_state, 1024);
/*mix*/
      v_one := SQRT(ABS(v_x - 511.5) + 1.5) * LN(v_x + 2.5) + ABS(POWER(v_x, 0.5) - 10.25) / 3.5
        + SQRT(ABS(v_x - 255.5) + 2.5) * LN(v_x + 3.5) + ABS(POWER(v_x, 0.25) - 1.25) / 4.5;
      v_two := SQRT(ABS(v_x - 127.5)) * LN(v_x + 4.5) - ABS(POWER(v_x, 0.75) - 100.25) / 5.5;
      v_one := v_one * v_two;
/*end*/
      v_sum := v_sum + TRUNC(v_one);
      v_pass := v_pass + 1;
    END LOOP;
    {results}

-- name: cpu_float_mix
-- proves: the same 38 operations on BINARY_FLOAT (FLOAT would be NUMBER arithmetic); ln and power answer with doubles
-- not counted: the remainder that brings the random number into 0..1023, and the truncation of the result
-- touches: no table
    v_state BINARY_DOUBLE := p_state;
    v_factor BINARY_DOUBLE := 48271;
    v_modulus BINARY_DOUBLE := 2147483647;
    v_range BINARY_DOUBLE := 1024;
    v_total BINARY_DOUBLE := 0;
    v_x BINARY_FLOAT;
    v_one BINARY_FLOAT;
    v_two BINARY_FLOAT;
BEGIN
    WHILE v_pass < v_passes LOOP
      v_state := MOD(v_state * v_factor, v_modulus);
      v_x := MOD(v_state, v_range);
/*mix*/
      v_one := SQRT(ABS(v_x - 511.5f) + 1.5f) * LN(v_x + 2.5f) + ABS(POWER(v_x, 0.5f) - 10.25f) / 3.5f
        + SQRT(ABS(v_x - 255.5f) + 2.5f) * LN(v_x + 3.5f) + ABS(POWER(v_x, 0.25f) - 1.25f) / 4.5f;
      v_two := SQRT(ABS(v_x - 127.5f)) * LN(v_x + 4.5f) - ABS(POWER(v_x, 0.75f) - 100.25f) / 5.5f;
      v_one := v_one * v_two;
/*end*/
      v_total := v_total + TRUNC(v_one);
      v_pass := v_pass + 1;
    END LOOP;
    v_sum := v_total;
    {results}

-- name: cpu_double_mix
-- proves: the same 38 operations on BINARY_DOUBLE
-- not counted: the remainder that brings the random number into 0..1023, and the truncation of the result
-- touches: no table
    v_state BINARY_DOUBLE := p_state;
    v_factor BINARY_DOUBLE := 48271;
    v_modulus BINARY_DOUBLE := 2147483647;
    v_range BINARY_DOUBLE := 1024;
    v_total BINARY_DOUBLE := 0;
    v_x BINARY_DOUBLE;
    v_one BINARY_DOUBLE;
    v_two BINARY_DOUBLE;
BEGIN
    WHILE v_pass < v_passes LOOP
      v_state := MOD(v_state * v_factor, v_modulus);
      v_x := MOD(v_state, v_range);
/*mix*/
      v_one := SQRT(ABS(v_x - 511.5d) + 1.5d) * LN(v_x + 2.5d) + ABS(POWER(v_x, 0.5d) - 10.25d) / 3.5d
        + SQRT(ABS(v_x - 255.5d) + 2.5d) * LN(v_x + 3.5d) + ABS(POWER(v_x, 0.25d) - 1.25d) / 4.5d;
      v_two := SQRT(ABS(v_x - 127.5d)) * LN(v_x + 4.5d) - ABS(POWER(v_x, 0.75d) - 100.25d) / 5.5d;
      v_one := v_one * v_two;
/*end*/
      v_total := v_total + TRUNC(v_one);
      v_pass := v_pass + 1;
    END LOOP;
    v_sum := v_total;
    {results}

-- name: cpu_string_mix
-- proves: 29 operations a pass: 1 random string, 6 instr, 9 concat, 3 length, 3 substr, 1 chr, 5 upper, 1 mod
-- touches: no table
    v_state NUMBER := p_state;
    v_text VARCHAR2(32);
    v_mixed VARCHAR2(64);
    v_part VARCHAR2(32);
    v_n PLS_INTEGER;
BEGIN
    WHILE v_pass < v_passes LOOP
      v_state := MOD(v_state * 48271, 2147483647);
      v_text := CONCAT(LPAD(TO_CHAR(v_state * 4294967291, 'FMXXXXXXXXXXXXXXXX'), 16, '0'),
        LPAD(TO_CHAR(v_state * 3141592653, 'FMXXXXXXXXXXXXXXXX'), 16, '0'));
/*mix*/
      v_mixed := CONCAT(UPPER(SUBSTR(v_text, 1, 16)), INSTR(v_text, 'A0'));
      v_mixed := CONCAT(v_mixed, INSTR(v_text, 'B'));
      v_mixed := CONCAT(v_mixed, INSTR(v_text, 'C'));
      v_mixed := CONCAT(v_mixed, UPPER(CONCAT(SUBSTR(v_text, 9, 8), CHR(v_pass - TRUNC(v_pass / 16) * 16 + 65))));
      v_mixed := CONCAT(v_mixed, INSTR(UPPER(v_text), 'D'));
      v_part := CONCAT(SUBSTR(v_text, INSTR(v_text, '1'), 8), INSTR(v_text, 'F0'));
      v_mixed := CONCAT(v_mixed, LENGTH(UPPER(v_part)));
      v_mixed := CONCAT(v_mixed, LENGTH(UPPER(v_text)));
      v_n := MOD(LENGTH(v_mixed), 97);
/*end*/
      v_sum := v_sum + v_n;
      v_pass := v_pass + 1;
    END LOOP;
    {results}

-- name: fibonacci
-- what: the naive recursion that cpu_fibonacci calls; it comes before it in the package
  FUNCTION fibonacci(p_n IN PLS_INTEGER) RETURN PLS_INTEGER AS
  BEGIN
    IF p_n < 2 THEN
      RETURN p_n;
    END IF;
    RETURN fibonacci(p_n - 1) + fibonacci(p_n - 2);
  END fibonacci;

-- name: cpu_fibonacci
-- proves: the leaves of the call tree add up to the Fibonacci number; the operations are its calls, 2 F(n + 1) - 1
-- touches: no table
-- calls: cpu/fibonacci
    v_this NUMBER := 1;
    v_next NUMBER := 1;
    v_swap NUMBER;
    v_i PLS_INTEGER := 0;
BEGIN
    WHILE v_i < p_argument LOOP
      v_swap := v_this + v_next;
      v_this := v_next;
      v_next := v_swap;
      v_i := v_i + 1;
    END LOOP;
    WHILE v_pass < v_passes LOOP
      v_sum := v_sum + fibonacci(p_argument);
      v_pass := v_pass + 1;
    END LOOP;
    {results}
    p_ops := p_passes * (2 * v_this - 1);

-- name: cpu_primes
-- proves: every number up to the argument is tested by trial division up to its root; the checksum counts the primes
-- touches: no table
    v_last PLS_INTEGER := p_argument;
    v_n PLS_INTEGER;
    v_divisor PLS_INTEGER;
    v_primes PLS_INTEGER;
BEGIN
    WHILE v_pass < v_passes LOOP
      v_n := p_argument + 1 - p_ops_per_pass;
      v_primes := 0;
      WHILE v_n <= v_last LOOP
        v_divisor := 2;
        WHILE v_divisor * v_divisor <= v_n AND MOD(v_n, v_divisor) <> 0 LOOP
          v_divisor := v_divisor + 1;
        END LOOP;
        IF v_n > 1 AND v_divisor * v_divisor > v_n THEN
          v_primes := v_primes + 1;
        END IF;
        v_n := v_n + 1;
      END LOOP;
      v_sum := v_sum + v_primes;
      v_pass := v_pass + 1;
    END LOOP;
    {results}

-- name: cpu_quicksort
-- proves: an array of random integers is in order afterwards; the checksum adds up its first, middle and last elements
-- touches: no table
    TYPE integers IS TABLE OF PLS_INTEGER INDEX BY PLS_INTEGER;
    v_state BINARY_DOUBLE := p_state;
    v_factor BINARY_DOUBLE := 48271;
    v_modulus BINARY_DOUBLE := 2147483647;
    v_array integers;
    v_stack integers;
    v_n PLS_INTEGER := p_argument;
    v_top PLS_INTEGER;
    v_low PLS_INTEGER;
    v_high PLS_INTEGER;
    v_i PLS_INTEGER;
    v_j PLS_INTEGER;
    v_pivot PLS_INTEGER;
    v_swap PLS_INTEGER;
BEGIN
    WHILE v_pass < v_passes LOOP
      FOR v_fill IN 1 .. v_n LOOP
        v_state := MOD(v_state * v_factor, v_modulus);
        v_array(v_fill) := v_state;
      END LOOP;
      v_stack(1) := 1;
      v_stack(2) := v_n;
      v_top := 2;
      WHILE v_top > 0 LOOP
        v_low := v_stack(v_top - 1);
        v_high := v_stack(v_top);
        v_top := v_top - 2;
        WHILE v_low < v_high LOOP
          v_pivot := v_array(TRUNC((v_low + v_high) / 2));
          v_i := v_low;
          v_j := v_high;
          WHILE v_i <= v_j LOOP
            WHILE v_array(v_i) < v_pivot LOOP
              v_i := v_i + 1;
            END LOOP;
            WHILE v_array(v_j) > v_pivot LOOP
              v_j := v_j - 1;
            END LOOP;
            IF v_i <= v_j THEN
              v_swap := v_array(v_i);
              v_array(v_i) := v_array(v_j);
              v_array(v_j) := v_swap;
              v_i := v_i + 1;
              v_j := v_j - 1;
            END IF;
          END LOOP;
          -- The larger part waits, so that the stack stays short.
          IF v_j - v_low < v_high - v_i THEN
            v_stack(v_top + 1) := v_i;
            v_stack(v_top + 2) := v_high;
            v_high := v_j;
          ELSE
            v_stack(v_top + 1) := v_low;
            v_stack(v_top + 2) := v_j;
            v_low := v_i;
          END IF;
          v_top := v_top + 2;
        END LOOP;
      END LOOP;
      FOR v_check IN 2 .. v_n LOOP
        IF v_array(v_check - 1) > v_array(v_check) THEN
          RAISE_APPLICATION_ERROR(-20001, 'quicksort left element ' || v_check || ' out of order');
        END IF;
      END LOOP;
      v_sum := v_sum + v_array(1) + v_array(TRUNC((1 + v_n) / 2)) + v_array(v_n);
      v_pass := v_pass + 1;
    END LOOP;
    {results}
