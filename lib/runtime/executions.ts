import * as v from "valibot";
import { type ExecutionResult, executionRecords, RecordExecutionsSchema } from "../api/execution-schema.ts";
import { type ExecutionKind, executionKinds } from "../core/execution-words.ts";
import { type Execution, idOf } from "../orders/execution.ts";
import { logFault } from "./log.ts";
import { InvalidRequest, validate } from "./validate.ts";

type Reported = { userID: string; kind: ExecutionKind; execution: Execution };
type Rejection = "unknown user" | "not yours";
type Recorder = (reported: Reported) => Promise<"recorded" | "unchanged" | Rejection>;

const rejections = {
  "unknown user": { code: "UNKNOWN_USER", message: "No user with this userID has signed in" },
  "not yours": { code: "NOT_YOURS", message: "Orders placed here can only be changed by the service itself" },
} as const satisfies Record<Rejection, ExecutionResult["error"]>;

/**
 * Makes the handler of recordExecutions. Each record is handled separately: a rejected one does not stop the others.
 *
 * @param open Makes the recorder of one invocation.
 * @returns a function that throws {@link InvalidRequest}, and records nothing, if the event is not a list of records.
 */
export function recordExecutions(open: (now: Date) => Recorder) {
  return async (event: unknown): Promise<{ results: ExecutionResult[] }> => {
    const { records } = validate(RecordExecutionsSchema, event, "event");
    const record = open(new Date());
    return { results: await Promise.all(records.map((item, index) => recordOne(item, index, record))) };
  };
}

async function recordOne(item: unknown, index: number, record: Recorder): Promise<ExecutionResult> {
  let reported: Reported;
  try {
    reported = readRecord(item);
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error;
    return { index, status: "rejected", error: { code: "INVALID_REQUEST", message: error.message } };
  }
  const named = { index, kind: reported.kind, id: idOf(reported.execution) };
  try {
    const outcome = await record(reported);
    if (outcome === "recorded" || outcome === "unchanged") return { ...named, status: outcome };
    return { ...named, status: "rejected", error: rejections[outcome] };
  } catch (error) {
    logFault("recordExecutions", error);
    return {
      ...named,
      status: "failed",
      error: { code: "INTERNAL_ERROR", message: "Internal server error" },
    };
  }
}

/** @throws {InvalidRequest} */
function readRecord(item: unknown): Reported {
  const { kind } = validate(v.looseObject({ kind: v.picklist(executionKinds) }), item, "record");
  const {
    userID,
    kind: _,
    ...execution
  } = validate(executionRecords[kind] as v.GenericSchema, item, "record") as {
    userID: string;
    kind: ExecutionKind;
  } & Execution;
  return { userID, kind, execution };
}
