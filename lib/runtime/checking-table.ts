import { openTable, type Table } from "../table/table.ts";
import { environment } from "./environment.ts";

/** Opens the table of a function whose transactions check items. */
export const openCheckingTable = (): Table => ({
  ...openTable(environment("TABLE_NAME")),
  transactionPartitions: environment("TRANSACTION_PARTITIONS"),
});
