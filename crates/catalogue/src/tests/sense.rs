//! Entries of the right form that make no sense.

use super::{edited, message};

#[test]
fn the_sense_of_entries_is_checked() {
    let cpu = "tests/T100_cpu.toml";
    let load = "tests/T300_data_load.toml";
    let scan = "tests/T400_data_scan.toml";
    let select = "tests/T600_select.toml";
    let update = "tests/T700_update.toml";
    let quick = "suites/quick.toml";
    let sizes = "sizes.toml";
    let metrics = "metrics.toml";
    let cases = [
        (select, "code = \"T612\"", "code = \"T611\"", "[[test]] T611: key 'code': there is another test 'T611'"),
        (
            select,
            "code = \"T612\"",
            "code = \"T712\"",
            "[[test]] T712: key 'code': 'T712' belongs to T700, this file to T600",
        ),
        (
            select,
            "class = \"T600\"",
            "class = \"T700\"",
            "[[test]] T611: key 'code': 'T611' belongs to T600, this file to T700",
        ),
        (
            select,
            "metrics = [\"tx_per_s\"",
            "metrics = [\"tx_per_sec\"",
            "[[test]] T611: key 'metrics': there is no metric 'tx_per_sec'; nearest: tx_per_s; `dbdyno list metrics` shows all",
        ),
        (
            select,
            "metrics = [\"tx_per_s\", \"rows_per_s\", \"service_time_s\"]",
            "metrics = []",
            "[[test]] T611: key 'metrics' is empty; the first metric is the key metric",
        ),
        (
            select,
            "\"tx_per_s\", \"rows_per_s\"",
            "\"tx_per_s\", \"tx_per_s\"",
            "[[test]] T611: key 'metrics' names 'tx_per_s' twice",
        ),
        (select, "table = \"small_heap\"\n", "", "[[test]] T611: the key 'table' is missing; select_primary needs one"),
        (cpu, "ramp = ", "table = \"small_heap\"\nramp = ", "[[test]] T111: key 'table' has no meaning for cpu_loop"),
        (select, "rows_per_tx = 1\n", "", "[[test]] T611: the key 'rows_per_tx' is missing; select_primary needs it"),
        (select, "rows_per_tx = 1\n", "rows_per_tx = 0\n", "[[test]] T611: key 'rows_per_tx' must be at least 1"),
        (load, "rows_per_tx = 2\n", "", "[[test]] T311: the key 'rows_per_tx' is missing; insert needs it"),
        (update, "rows_per_tx = 1\n", "", "[[test]] T711: the key 'rows_per_tx' is missing; update_primary needs it"),
        (
            load,
            "last_step_rows_per_tx = 10",
            "last_step_rows_per_tx = 0",
            "[[test]] T311: key 'last_step_rows_per_tx' must be at least 1",
        ),
        (load, "[1, 2, 4,", "[0, 2, 4,", "[[test]] DBL-11: key 'sweep_rows_per_tx' must not hold 0"),
        (load, "[1, 2, 4,", "[2, 2, 4,", "[[test]] DBL-11: key 'sweep_rows_per_tx' holds 2 twice"),
        (
            cpu,
            "ramp = ",
            "rows_per_tx = 1\nramp = ",
            "[[test]] T111: key 'rows_per_tx' has no meaning for cpu_loop, whose work says how many rows it touches",
        ),
        (
            select,
            "ramp = [\"jobs\"]",
            "ramp = []",
            "[[test]] T611: key 'ramp' is empty; it names what a ramp may move: jobs, threads",
        ),
        (select, "ramp = [\"jobs\"]", "ramp = [\"jobs\", \"jobs\"]", "[[test]] T611: key 'ramp' names 'jobs' twice"),
        (
            select,
            "repeat_mode = \"chunks\"",
            "repeat_mode = \"once\"",
            "[[test]] T611: key 'repeat_mode' must be 'chunks' for select_primary: it is called again and again",
        ),
        (
            scan,
            "repeat_mode = \"statements\"",
            "repeat_mode = \"once\"",
            "[[test]] T421: key 'repeat_mode' must be 'statements' for scan: it repeats whole statements",
        ),
        (
            select,
            "title = \"Select by primary key, heap, cached\"",
            "title = \" \"",
            "[[test]] T611: key 'title' is empty",
        ),
        (
            select,
            "repeat_mode = ",
            "compression = \"basic\"\nrepeat_mode = ",
            "[[test]] T611: key 'compression' has no meaning for select_primary; it is how a bulk_load compresses",
        ),
        (
            select,
            "repeat_mode = ",
            "tier = \"cell_flash\"\nrepeat_mode = ",
            "[[test]] T611: key 'tier' has no meaning for a small table, which stays in the engine's cache",
        ),
        (
            scan,
            "procedure = \"scan\"",
            "procedure = \"scan_range\"",
            "[[test]] T421: key 'table' is 'small_heap', which has no ranges; scan_range needs large_heap_range_list",
        ),
        (
            select,
            "variant_of = \"T616\"",
            "variant_of = \"T617\"",
            "[[test]] DBX-12: key 'variant_of': there is no test 'T617'; nearest: T611, T612, T613; `dbdyno list tests` shows all",
        ),
        (
            select,
            "variant_of = \"T616\"",
            "variant_of = \"DBX-13\"",
            "[[test]] DBX-12: key 'variant_of': DBX-13 is itself a variant",
        ),
        (
            update,
            "least_duration_s = 60",
            "least_duration_s = 0",
            "[[test]] T721: key 'least_duration_s' must be at least 1",
        ),
        (cpu, "ops_per_pass = 38", "ops_per_pass = 0", "[[test]] T131: key 'ops_per_pass' must be at least 1"),
        (
            cpu,
            "argument = 22\n",
            "argument = 23\n",
            "[[test]] T151: key 'ops_per_pass' is 57313; cpu_fibonacci of 23 counts as 92735",
        ),
        (
            cpu,
            "argument = 22\n",
            "argument = 2200\n",
            "[[test]] T151: key 'argument' is 2200, which cpu_fibonacci cannot do",
        ),
        (cpu, "argument = 22\n", "", "[[test]] T151: the key 'argument' is missing; cpu_fibonacci needs it"),
        (cpu, "argument = 2_000\n", "argument = 1\n", "[[test]] T152: key 'argument' is 1, which cpu_primes cannot do"),
        (
            cpu,
            "documented_argument = 39",
            "documented_argument = 21",
            "[[test]] T151: key 'documented_argument' must be larger than 'argument', 22, and within reach",
        ),
        (cpu, "ramp = ", "argument = 5\nramp = ", "[[test]] T111: key 'argument' has no meaning for cpu_loop"),
        (
            cpu,
            "ramp = ",
            "documented_argument = 5\nramp = ",
            "[[test]] T111: key 'documented_argument' has no meaning without 'argument'",
        ),
        (
            sizes,
            "large_rows = 102_400",
            "large_rows = 102_401",
            "[[size]] T: key 'large_rows' is 102401; it must be 32 times small_rows, 102400",
        ),
        (
            sizes,
            "small_rows = 3_200",
            "small_rows = 3_201",
            "[[size]] T: key 'small_rows' is 3201; it must be a multiple of 320, the rows of one secondary-key value",
        ),
        (
            sizes,
            "small_rows = 3_200",
            "small_rows = 0",
            "[[size]] T: key 'small_rows' is 0; it must be a multiple of 320, the rows of one secondary-key value",
        ),
        (sizes, "file_bytes = 8_388_608 ", "file_bytes = 0 ", "[[size]] T: key 'file_bytes' must be at least 1"),
        (
            sizes,
            "bulk_partitions_per_job = 8",
            "bulk_partitions_per_job = 33",
            "[[size]] D: key 'bulk_partitions_per_job' is 33; a large table has 32 ranges",
        ),
        (sizes, "id = \"D\"", "id = \"T\"", "[[size]] T: key 'id': there is another size 'T'"),
        (
            metrics,
            "id = \"rows_per_s\"",
            "id = \"ops_per_s\"",
            "[[metric]] ops_per_s: key 'id': there is another metric 'ops_per_s'",
        ),
        (metrics, "unit = \"1/s\"", "unit = \"\"", "[[metric]] ops_per_s: key 'unit' is empty"),
        (
            quick,
            "[\"T211\"]",
            "[\"T212\"]",
            "[[step]] number 2: key 'tests': there is no test 'T212'; nearest: T211, T122, T312; `dbdyno list tests` shows all",
        ),
        (quick, "[\"T211\"]", "[\"T132\"]", "[[step]] number 2: key 'tests': T132 stands in the suite already"),
        (quick, "[\"T211\"]", "[]", "[[step]] number 2: key 'tests' is empty"),
        (quick, "[\"T211\"]", "[\"T211\"]\nduration_s = 0", "[[step]] number 2: key 'duration_s' must be at least 1"),
        (
            quick,
            "[\"T211\"]",
            "[\"T211\"]\ndimension = \"threads\"",
            "[[step]] number 2: key 'dimension': the ramp of T211 cannot move threads",
        ),
        (quick, "duration_s = 2", "duration_s = 0", "head: key 'duration_s' must be at least 1"),
        (quick, "repeat = 1", "repeat = 0", "head: key 'repeat' must be at least 1"),
        (quick, "id = \"quick\"", "id = \"fast\"", "head: key 'id' is 'fast'; it must be 'quick', as the file's name"),
    ];
    for (file, from, to, expected) in cases {
        assert_eq!(message(edited(file, from, to)), format!("{file}: {expected}"));
    }
}
