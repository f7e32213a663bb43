import type { Construct } from "constructs";
import type { Operation } from "../../operation-types.ts";
import { type OperationName, operations } from "../../operations.ts";
import { OperationFunction, type Surroundings } from "./operation-function.ts";

/** The functions of all rows. */
export class OperationFunctions {
  readonly #scope: Construct;
  readonly #surroundings: Surroundings;
  readonly #made = new Map<OperationName, OperationFunction>();

  constructor(scope: Construct, surroundings: Surroundings) {
    this.#scope = scope;
    this.#surroundings = surroundings;
  }

  /** The function of a row, which is made when it is first asked for: one that it invokes before it. */
  get(name: OperationName): OperationFunction {
    const made = this.#made.get(name);
    if (made !== undefined) return made;
    const row: Operation = operations[name];
    const invoked = Object.fromEntries(row.invokes.map((other) => [other, this.get(other).lambda]));
    const operation = new OperationFunction(this.#scope, name, { row, invoked, ...this.#surroundings });
    this.#made.set(name, operation);
    return operation;
  }

  /** In the order of the table. */
  all(): OperationFunction[] {
    return (Object.keys(operations) as OperationName[]).map((name) => this.get(name));
  }
}
