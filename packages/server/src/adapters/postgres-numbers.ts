import pg from 'pg';

/** For all connections of this process: parses int8 and numeric as numbers instead of strings. */

// Totals stay far below 2^53, and times do until the year 287396.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number);
