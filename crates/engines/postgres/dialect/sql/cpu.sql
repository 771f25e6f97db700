-- The procedures of the class T100: procedural code, no tables. Their signature is `procedure` in procedures.sql, which
-- goes before each of them. Random numbers are those of the job's key stream, a multiplicative congruential generator (a
-- multiplication and a remainder, counted as one random number): results do not depend on how passes are cut, and a call can begin anywhere
-- in the stream, which random() cannot. A mix stands between /*mix*/ and /*end*/, and nothing in it is constant.

-- name: cpu_loop
-- proves: nothing but the time that the passes take; PL/pgSQL removes no empty loop
-- touches: no table
BEGIN
  FOR v_pass IN 1 .. p_passes LOOP
    NULL;
  END LOOP;
  p_ops := p_passes * p_ops_per_pass;
  p_checksum := p_passes;
END $$;

-- name: cpu_random_number
-- proves: one random number a pass; the sum is that of the job's key stream
-- touches: no table
BEGIN
  FOR v_pass IN 1 .. p_passes LOOP
    p_state := p_state * 48271 % 2147483647;
    p_checksum := p_checksum + p_state;
  END LOOP;
  p_ops := p_passes * p_ops_per_pass;
END $$;

-- name: cpu_random_string
-- proves: one random string of 32 characters a pass; the sum of their lengths is 32 times the passes
-- touches: no table
DECLARE
  v_text varchar(32);
BEGIN
  FOR v_pass IN 1 .. p_passes LOOP
    p_state := p_state * 48271 % 2147483647;
    v_text := lpad(to_hex(p_state * 4294967291), 16, '0') || lpad(to_hex(p_state * 3141592653), 16, '0');
    p_checksum := p_checksum + length(v_text);
  END LOOP;
  p_ops := p_passes * p_ops_per_pass;
END $$;

-- name: cpu_integer_mix
-- proves: 38 operations a pass: 1 random, 8 add, 7 subtract, 4 multiply, 3 divide, 6 abs, 3 sqrt, 3 power, 3 ln
-- not counted: the mask that brings the random number into 0..1023, and casts: sqrt, power and ln answer with doubles
-- touches: no table
DECLARE
  v_x bigint;
BEGIN
  FOR v_pass IN 1 .. p_passes LOOP
    p_state := p_state * 48271 % 2147483647;
    v_x := p_state & 1023;
    p_checksum := p_checksum + (
/*mix*/
      (sqrt(abs(v_x - 511) + 2)::bigint * ln(v_x + 3)::bigint + abs(power(v_x, 2)::bigint - 1001) / 3
     + sqrt(abs(v_x - 255) + 5)::bigint * ln(v_x + 4)::bigint + abs(power(v_x, 2)::bigint - 2002) / 7)
     * (sqrt(abs(v_x - 127))::bigint * ln(v_x + 5)::bigint - abs(power(v_x, 2)::bigint - 3003) / 11)
/*end*/
    );
  END LOOP;
  p_ops := p_passes * p_ops_per_pass;
END $$;

-- name: cpu_decimal_mix
-- proves: the same 38 operations on numeric, PostgreSQL's exact decimal
-- not counted: the mask that brings the random number into 0..1023, its cast to numeric, and that of the result back
-- touches: no table
DECLARE
  v_x numeric;
BEGIN
  FOR v_pass IN 1 .. p_passes LOOP
    p_state := p_state * 48271 % 2147483647;
    v_x := p_state & 1023;
    p_checksum := p_checksum + (
/*mix*/
      (sqrt(abs(v_x - 511.5) + 1.5) * ln(v_x + 2.5) + abs(power(v_x, 0.5) - 10.25) / 3.5
     + sqrt(abs(v_x - 255.5) + 2.5) * ln(v_x + 3.5) + abs(power(v_x, 0.25) - 1.25) / 4.5)
     * (sqrt(abs(v_x - 127.5)) * ln(v_x + 4.5) - abs(power(v_x, 0.75) - 100.25) / 5.5)
/*end*/
    )::bigint;
  END LOOP;
  p_ops := p_passes * p_ops_per_pass;
END $$;

-- name: cpu_float_mix
-- proves: the same 38 operations on real; sqrt, power and ln are computed in double precision, and cast back
-- not counted: the mask that brings the random number into 0..1023, and casts
-- touches: no table
DECLARE
  v_x real;
BEGIN
  FOR v_pass IN 1 .. p_passes LOOP
    p_state := p_state * 48271 % 2147483647;
    v_x := p_state & 1023;
    p_checksum := p_checksum + (
/*mix*/
      (sqrt(abs(v_x - '511.5') + '1.5')::real * ln(v_x + '2.5')::real + abs(power(v_x, 0.5)::real - '10.25') / '3.5'
     + sqrt(abs(v_x - '255.5') + '2.5')::real * ln(v_x + '3.5')::real + abs(power(v_x, 0.25)::real - '1.25') / '4.5')
     * (sqrt(abs(v_x - '127.5'))::real * ln(v_x + '4.5')::real - abs(power(v_x, 0.75)::real - '100.25') / '5.5')
/*end*/
    )::bigint;
  END LOOP;
  p_ops := p_passes * p_ops_per_pass;
END $$;

-- name: cpu_double_mix
-- proves: the same 38 operations on double precision
-- not counted: the mask that brings the random number into 0..1023, its cast to a double, and that of the result back
-- touches: no table
DECLARE
  v_x double precision;
BEGIN
  FOR v_pass IN 1 .. p_passes LOOP
    p_state := p_state * 48271 % 2147483647;
    v_x := p_state & 1023;
    p_checksum := p_checksum + (
/*mix*/
      (sqrt(abs(v_x - 511.5) + 1.5) * ln(v_x + 2.5) + abs(power(v_x, 0.5) - 10.25) / 3.5
     + sqrt(abs(v_x - 255.5) + 2.5) * ln(v_x + 3.5) + abs(power(v_x, 0.25) - 1.25) / 4.5)
     * (sqrt(abs(v_x - 127.5)) * ln(v_x + 4.5) - abs(power(v_x, 0.75) - 100.25) / 5.5)
/*end*/
    )::bigint;
  END LOOP;
  p_ops := p_passes * p_ops_per_pass;
END $$;

-- name: cpu_string_mix
-- proves: 29 operations a pass: 1 random string, 6 strpos, 9 concat, 3 length, 3 substr, 1 chr, 5 upper, 1 mod
-- touches: no table
DECLARE
  v_text varchar(32);
BEGIN
  FOR v_pass IN 1 .. p_passes LOOP
    p_state := p_state * 48271 % 2147483647;
    v_text := lpad(to_hex(p_state * 4294967291), 16, '0') || lpad(to_hex(p_state * 3141592653), 16, '0');
    p_checksum := p_checksum +
/*mix*/
      length(upper(substr(v_text, 1, 16)) || strpos(v_text, 'a0') || strpos(v_text, 'b') || strpos(v_text, 'c')
        || upper(substr(v_text, 9, 8) || chr((v_pass & 15) + 65)) || strpos(upper(v_text), 'D')
        || length(upper(substr(v_text, strpos(v_text, '1'), 8) || strpos(v_text, 'f0'))) || length(upper(v_text))) % 97
/*end*/
    ;
  END LOOP;
  p_ops := p_passes * p_ops_per_pass;
END $$;

-- name: fibonacci
-- what: the naive recursion that cpu_fibonacci calls
CREATE OR REPLACE FUNCTION dbdyno.fibonacci(p_n integer) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF p_n < 2 THEN
    RETURN p_n;
  END IF;
  RETURN dbdyno.fibonacci(p_n - 1) + dbdyno.fibonacci(p_n - 2);
END $$;

-- name: cpu_fibonacci
-- proves: the leaves of the call tree add up to the Fibonacci number; the operations are its calls, 2 F(n + 1) - 1
-- touches: no table
-- calls: cpu/fibonacci
DECLARE
  v_n integer := p_argument;
  v_this bigint := 1;
  v_next bigint := 1;
  v_swap bigint;
BEGIN
  FOR v_i IN 1 .. v_n LOOP
    v_swap := v_this + v_next;
    v_this := v_next;
    v_next := v_swap;
  END LOOP;
  FOR v_pass IN 1 .. p_passes LOOP
    p_checksum := p_checksum + dbdyno.fibonacci(v_n);
    p_ops := p_ops + 2 * v_this - 1;
  END LOOP;
END $$;

-- name: cpu_primes
-- proves: every number up to the argument is tested by trial division up to its root; the checksum counts the primes
-- touches: no table
DECLARE
  v_from integer := p_argument + 1 - p_ops_per_pass;
  v_to integer := p_argument;
  v_divisor integer;
BEGIN
  FOR v_pass IN 1 .. p_passes LOOP
    FOR v_n IN v_from .. v_to LOOP
      v_divisor := 2;
      WHILE v_divisor * v_divisor <= v_n AND v_n % v_divisor <> 0 LOOP
        v_divisor := v_divisor + 1;
      END LOOP;
      IF v_n > 1 AND v_divisor * v_divisor > v_n THEN
        p_checksum := p_checksum + 1;
      END IF;
      p_ops := p_ops + 1;
    END LOOP;
  END LOOP;
END $$;

-- name: cpu_quicksort
-- proves: an array of random integers is in order afterwards; the checksum adds up its first, middle and last elements
-- touches: no table
DECLARE
  v_n integer := p_argument;
  v_array bigint[];
  v_stack integer[];
  v_top integer;
  v_low integer;
  v_high integer;
  v_i integer;
  v_j integer;
  v_pivot bigint;
  v_swap bigint;
BEGIN
  FOR v_pass IN 1 .. p_passes LOOP
    v_array := array_fill(0::bigint, ARRAY[v_n]);
    FOR v_fill IN 1 .. v_n LOOP
      p_state := p_state * 48271 % 2147483647;
      v_array[v_fill] := p_state;
    END LOOP;
    v_stack := ARRAY[1, v_n];
    v_top := 2;
    WHILE v_top > 0 LOOP
      v_low := v_stack[v_top - 1];
      v_high := v_stack[v_top];
      v_top := v_top - 2;
      WHILE v_low < v_high LOOP
        v_pivot := v_array[(v_low + v_high) / 2];
        v_i := v_low;
        v_j := v_high;
        WHILE v_i <= v_j LOOP
          WHILE v_array[v_i] < v_pivot LOOP
            v_i := v_i + 1;
          END LOOP;
          WHILE v_array[v_j] > v_pivot LOOP
            v_j := v_j - 1;
          END LOOP;
          IF v_i <= v_j THEN
            v_swap := v_array[v_i];
            v_array[v_i] := v_array[v_j];
            v_array[v_j] := v_swap;
            v_i := v_i + 1;
            v_j := v_j - 1;
          END IF;
        END LOOP;
        v_stack[v_top + 1] := v_i;
        v_stack[v_top + 2] := v_high;
        v_top := v_top + 2;
        v_high := v_j;
      END LOOP;
    END LOOP;
    FOR v_check IN 2 .. v_n LOOP
      IF v_array[v_check - 1] > v_array[v_check] THEN
        RAISE EXCEPTION 'quicksort left element % out of order', v_check;
      END IF;
    END LOOP;
    p_checksum := p_checksum + v_array[1] + v_array[(1 + v_n) / 2] + v_array[v_n];
    p_ops := p_ops + v_n;
  END LOOP;
END $$;
