import { randomUUID } from "node:crypto";
import { InvokeCommand } from "@aws-sdk/client-lambda";
import { paginateScan } from "@aws-sdk/lib-dynamodb";
import type { Table } from "../../lib/table/table.ts";
import { changeUser, existingProfile } from "../../lib/tools/admin/commands/set-user.ts";
import { openLocal, openLocalFunctions } from "../../lib/tools/admin/local-target.ts";
import { OperatorError } from "../../lib/tools/admin/operator-error.ts";
import { functionNameIn } from "../support/function-name.ts";
import type { Outcome, ProfileValues } from "./model.ts";
import type { Rates } from "./phases.ts";
import type { Item } from "./table-audit.ts";

/** A local runner with fault injection. */
export type Target = {
  baseUrl: string;
  streamUrl: string;
  dataDir: string;
  /** Kills the runner with SIGKILL and starts it again with the same data and ports. Resolves once it serves. */
  restart(): Promise<void>;
  /** Records a text sent to a client, to search it for secrets. */
  keep(text: string): void;
  /** Records all forms of a secret before it is sent, to search for them. */
  noteSecret(forms: string[]): void;
};

export type Answer = { status: number; json: unknown; text: string; headers: Headers };

export type SendOptions = {
  headers?: Readonly<Record<string, string>>;
  /** Milliseconds to wait for the response. */
  waitMs?: number;
};

export type Service = {
  target: Target;
  /** Sends a request. Returns undefined without a response. */
  send(
    user: { token: string },
    method: string,
    path: string,
    body?: unknown,
    options?: SendOptions,
  ): Promise<Answer | undefined>;
  token(subject: { sub: string; username: string; ref?: string | undefined }): Promise<string>;
  /** Reports orders and positions like an execution engine. Returns each outcome. */
  record(executions: readonly object[]): Promise<Outcome[]>;
  /** Changes a user's values like an operator. Fails for a user who never signed in. */
  changeUser(userID: string, values: ProfileValues): Promise<Outcome>;
  /** Runs a scheduled function immediately. */
  runSchedule(row: string, options?: { isAwaited?: boolean }): Promise<void>;
  setFaults(rates: Rates): Promise<void>;
  /** Kills and restarts the runner. Holds back requests until it serves. */
  restart(): Promise<void>;
  /** Opens the table with an operator's rights. */
  table(): Promise<Table>;
  /** Returns all items of the table. */
  scan(): Promise<Item[]>;
};

/** Milliseconds to wait for a response, more than the 29 seconds of API Gateway. */
const patienceMs = 40_000;

export function createService(target: Target): Service {
  let up: Promise<unknown> = Promise.resolve();
  let rates: Rates = {};

  const own = async <Body>(path: string, method = "GET", body?: object): Promise<Body> => {
    const answer = await fetch(`${target.baseUrl}/_local/${path}`, {
      method,
      ...(body && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`The runner answers ${answer.status} to ${path}: ${text}`);
    return JSON.parse(text);
  };
  const port = Number(new URL(target.baseUrl).port);
  let opened: ReturnType<typeof openAll> | undefined;
  const openAll = async () => ({ ...(await openLocal(port)), ...(await openLocalFunctions(port)) });
  const open = () => {
    opened ??= openAll();
    opened.catch(() => {
      opened = undefined;
    });
    return opened;
  };
  const setFaults = async (wanted: Rates) => {
    rates = wanted;
    await own("faults", "PUT", wanted);
  };

  return {
    target,
    async send({ token }, method, path, body, { headers, waitMs = patienceMs } = {}) {
      await up;
      try {
        const response = await fetch(`${target.baseUrl}${path}`, {
          method,
          headers: {
            Authorization: `Bearer ${token}`,
            ...(body !== undefined && { "Content-Type": "application/json" }),
            ...headers,
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
          signal: AbortSignal.timeout(waitMs),
        });
        const text = await response.text();
        target.keep(`${response.status} ${JSON.stringify([...response.headers])}\n${text}`);
        return { status: response.status, text, json: parsed(text), headers: response.headers };
      } catch {
        return undefined;
      }
    },
    async token(subject) {
      const { access_token } = await own<{ access_token: string }>("issuer/token", "POST", {
        ...subject,
        expiresIn: 24 * 60 * 60,
      });
      target.noteSecret([access_token.split(".")[2] ?? access_token]);
      return access_token;
    },
    async record(executions) {
      await up;
      try {
        const { lambda, recordExecutions } = await open();
        const { FunctionError, Payload } = await lambda.send(
          new InvokeCommand({
            FunctionName: recordExecutions,
            Payload: JSON.stringify({ records: executions }),
          }),
        );
        if (FunctionError !== undefined || Payload === undefined) return executions.map(() => "unknown");
        const { results } = JSON.parse(Payload.transformToString()) as { results: { status: string }[] };
        return results.map(({ status }) => recordOutcomes[status] ?? "unknown");
      } catch {
        return executions.map(() => "unknown");
      }
    },
    async changeUser(userID, values) {
      await up;
      try {
        const { table } = await open();
        const isKnown = await existingProfile(table, userID).then(
          () => true,
          (error) => !(error instanceof OperatorError) && Promise.reject(error),
        );
        if (!isKnown) return "refused";
        await changeUser(table, userID, values, new Date());
        return "done";
      } catch {
        return "unknown";
      }
    },
    async runSchedule(row, { isAwaited = true } = {}) {
      const { lambda } = await open();
      const FunctionName = functionNameIn(target.dataDir, row);
      const event = { id: randomUUID(), time: new Date().toISOString() };
      const { FunctionError } = await lambda.send(
        new InvokeCommand({
          FunctionName,
          InvocationType: isAwaited ? "RequestResponse" : "Event",
          Payload: JSON.stringify(event),
        }),
      );
      if (FunctionError !== undefined) throw new Error(`${row} failed: ${FunctionError}`);
    },
    setFaults,
    async restart() {
      opened = undefined;
      const restarted = target.restart().then(() => setFaults(rates));
      // Makes requests wait for the restart. The code below throws the error of a failed restart once.
      up = restarted.catch(() => {});
      await restarted;
    },
    table: async () => (await open()).table,
    async scan() {
      const { name, client } = (await open()).table;
      const items: Item[] = [];
      for await (const { Items = [] } of paginateScan({ client }, { TableName: name, ConsistentRead: true }))
        items.push(...(Items as Item[]));
      return items;
    },
  };
}

const recordOutcomes: Record<string, Outcome> = { recorded: "done", unchanged: "done", rejected: "refused" };

/**
 * Parses JSON.
 * @returns undefined for other text.
 */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
