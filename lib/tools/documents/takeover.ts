import type { OperationName } from "../../operations/operations.ts";

/** Rights of a function, as cells of the table in docs/SECURITY.md. */
export type Rights = {
  reads: string;
  writes: string;
  deletes: string;
  uses: string;
};

/** Functions whose rights are equal, so that each is worth the same to an intruder. */
export type Takeover = {
  functions: readonly [OperationName, ...OperationName[]];
  /** Rights that the sentence below covers. A test compares them with the rows. */
  rights: Partial<Rights>;
  /** End of the sentence that begins with "An intruder can at most". */
  atMost: string;
};
