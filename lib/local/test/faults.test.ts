import { describe, expect, it } from "vitest";
import { withDynamoDbFaults } from "../src/dynamodb/injected-faults.ts";
import { createFaults, type FaultName, withFaults } from "../src/faults.ts";
import { type GatewayRequest, type Handle, json, type Pair } from "../src/http/messages.ts";
import { createIssuer, signingKey } from "../src/issuer/issuer.ts";
import { ownPaths } from "../src/own-paths.ts";
import { memoryStore } from "../src/storage/store.ts";

const request = (
  target: string,
  headers: Pair[] = [],
  body: unknown = {},
  method = "POST",
): GatewayRequest => ({
  method,
  target,
  headers,
  body: Buffer.from(JSON.stringify(body)),
  sourceIp: "127.0.0.1",
});

/** Creates a service that counts the calls that reach it. */
function counted() {
  const reached: GatewayRequest[] = [];
  const handle: Handle = async (each) => {
    reached.push(each);
    return json(200, {});
  };
  return { reached, handle };
}

function always(...names: FaultName[]) {
  const faults = createFaults(1);
  faults.rates = Object.fromEntries(names.map((name) => [name, 1]));
  return faults;
}

describe("createFaults", () => {
  it("makes the same decisions for the same seed, regardless of other faults", () => {
    const sequence = (seed: number, disturb: boolean) => {
      const faults = createFaults(seed);
      faults.rates = { "kms.failed": 0.5, "lambda.killed": 0.5 };
      return Array.from({ length: 64 }, () => {
        if (disturb) faults.strikes("lambda.killed");
        return faults.strikes("kms.failed");
      });
    };
    expect(sequence(1, true)).toEqual(sequence(1, false));
    expect(sequence(2, false)).not.toEqual(sequence(1, false));
  });

  it("hits the given fraction of calls", () => {
    const faults = createFaults(1);
    const struck = () =>
      Array.from({ length: 10_000 }, () => faults.strikes("kms.failed")).filter(Boolean).length;
    expect(struck()).toBe(0);
    faults.rates = { "kms.failed": 0.3 };
    expect(Math.abs(struck() - 3000)).toBeLessThan(200);
    faults.rates = { "kms.failed": 1 };
    expect(struck()).toBe(10_000);
  });
});

describe("withFaults", () => {
  const kms = request("/", [["X-Amz-Target", "TrentService.GenerateDataKey"]]);
  const connections = request("/live/@connections/abc%3D");

  it.each<[FaultName, GatewayRequest, number, string]>([
    ["apigateway.throttled", request("/apikeys?mode=none"), 429, "TooManyRequestsException"],
    ["apigateway.throttled", request("/usageplans/abc/keys"), 429, "TooManyRequestsException"],
    ["connections.failed", connections, 500, "InternalServerError"],
    ["connections.throttled", connections, 429, "LimitExceededException"],
    ["kms.failed", kms, 500, "KMSInternalException"],
    ["kms.throttled", kms, 400, "ThrottlingException"],
    ["lambda.throttled", request("/2015-03-31/functions/f/invocations"), 429, "TooManyRequestsException"],
  ])("answers %s before the call takes effect", async (name, call, status, type) => {
    const { reached, handle } = counted();
    const answer = await withFaults(handle, always(name))(call);
    expect(answer).toMatchObject({ status, headers: expect.arrayContaining([["x-amzn-ErrorType", type]]) });
    expect(reached).toEqual([]);
  });

  it("refuses every push to a fixed fraction of the clients, but can still close them", async () => {
    const { handle } = counted();
    const faults = createFaults(1);
    faults.rates = { "connections.stuck": 0.3 };
    const faulty = withFaults(handle, faults);
    const clients = Array.from({ length: 1000 }, (_, n) => `/live/@connections/client${n}`);
    const refused = async () => {
      const answers = await Promise.all(clients.map((path) => faulty(request(path))));
      return clients.filter((_, index) => answers[index]?.status === 429);
    };
    const stuck = await refused();
    expect(Math.abs(stuck.length - 300)).toBeLessThan(60);
    expect(await refused()).toEqual(stuck);
    expect(await faulty(request(stuck[0] ?? "", [], {}, "DELETE"))).toMatchObject({ status: 200 });
    faults.rates = {};
    expect(await refused()).toEqual([]);
  });

  it("injects no faults into other services", async () => {
    const { reached, handle } = counted();
    const faulty = withFaults(handle, always("kms.failed", "lambda.throttled"));
    for (const call of [connections, request("/apikeys"), request("/")]) await faulty(call);
    expect(reached).toHaveLength(3);
  });
});

describe("withDynamoDbFaults", () => {
  const call = (operation: string, body: unknown = {}) =>
    request("/", [["X-Amz-Target", `DynamoDB_20120810.${operation}`]], body);
  const three = { TransactItems: [{ Put: {} }, { Put: {} }, { Put: {} }] };

  /** Makes 40 calls. Returns the names of their errors and the number of calls that reached the database. */
  async function outcomeOf(operation: string, names: FaultName[], body: unknown = {}) {
    const { reached, handle } = counted();
    const faulty = withDynamoDbFaults(handle, always(...names));
    const errors = new Set<string>();
    for (let n = 0; n < 40; n++) {
      const answer = JSON.parse((await faulty(call(operation, body))).body.toString());
      const codes = answer.CancellationReasons?.map(({ Code }: { Code: string }) => Code)
        .sort()
        .join();
      errors.add([answer.__type?.split("#")[1], codes].filter(Boolean).join(": "));
    }
    return { errors: [...errors].sort(), reached: reached.length };
  }

  it.each(["GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"])(
    "throttles %s with both of AWS's errors",
    async (operation) => {
      const errors = ["ProvisionedThroughputExceededException", "ThrottlingException"];
      expect(await outcomeOf(operation, ["dynamodb.throttled"])).toEqual({ errors, reached: 0 });
    },
  );

  it("throttles a transaction also by cancelling it for one of its parts", async () => {
    const { errors, reached } = await outcomeOf("TransactWriteItems", ["dynamodb.throttled"], three);
    expect(errors).toContain("TransactionCanceledException: None,None,ThrottlingError");
    expect(errors).toContain("ThrottlingException");
    expect(reached).toBe(0);
  });

  it("makes writes conflict, but not reads", async () => {
    const conflicting: FaultName[] = ["dynamodb.conflicting"];
    const single = { errors: ["TransactionConflictException"], reached: 0 };
    expect(await outcomeOf("PutItem", conflicting)).toEqual(single);
    const cancelled = { errors: ["TransactionCanceledException: None,None,TransactionConflict"], reached: 0 };
    expect(await outcomeOf("TransactWriteItems", conflicting, three)).toEqual(cancelled);
    expect(await outcomeOf("GetItem", conflicting)).toEqual({ errors: [""], reached: 40 });
  });

  it("lets half of the failing writes take effect", async () => {
    const { errors, reached } = await outcomeOf("PutItem", ["dynamodb.failed"]);
    expect(errors).toEqual(["InternalServerError"]);
    expect(reached).toBeGreaterThan(5);
    expect(reached).toBeLessThan(35);
  });

  it("injects no faults into calls about tables", async () => {
    const all: FaultName[] = ["dynamodb.throttled", "dynamodb.conflicting", "dynamodb.failed"];
    expect(await outcomeOf("DescribeTable", all)).toEqual({ errors: [""], reached: 40 });
  });
});

describe("/_local/faults", () => {
  const json = [["Content-Type", "application/json"]] as const;

  async function served(faults?: ReturnType<typeof createFaults>) {
    const issuer = createIssuer("http://127.0.0.1/_local/issuer", await signingKey(memoryStore), "local");
    const own = ownPaths({ issuer, describe: () => ({}), faults });
    return async (method: string, body: unknown = {}, headers: readonly Pair[] = json) => {
      const answer = await own(request("/_local/faults", [...headers], body, method));
      return { status: answer?.status, body: JSON.parse(answer?.body.toString() ?? "null") };
    };
  }

  it("serves no fault rates unless faults are enabled", async () => {
    const call = await served();
    expect(await call("PUT", { "kms.failed": 1 })).toMatchObject({ status: 404 });
    expect(await call("GET")).toMatchObject({ status: 404 });
  });

  it("replaces all fault rates and returns them", async () => {
    const faults = createFaults(1);
    const call = await served(faults);
    expect(await call("GET")).toEqual({ status: 200, body: {} });
    expect(await call("PUT", { "kms.failed": 1, "lambda.killed": 0.1 })).toMatchObject({ status: 200 });
    expect(faults.rates).toEqual({ "kms.failed": 1, "lambda.killed": 0.1 });
    await call("PUT", { "dynamodb.failed": 0.5 });
    expect(await call("GET")).toEqual({ status: 200, body: { "dynamodb.failed": 0.5 } });
  });

  it.each([{ "kms.broken": 1 }, { "kms.failed": 2 }, { "kms.failed": -1 }, { "kms.failed": "1" }, [[]]])(
    "refuses %j and keeps the fault rates",
    async (rates) => {
      const faults = always("kms.failed");
      expect(await (await served(faults))("PUT", rates)).toMatchObject({ status: 400 });
      expect(faults.rates).toEqual({ "kms.failed": 1 });
    },
  );

  it("accepts only PUT with JSON, which a page of another site cannot send", async () => {
    const faults = createFaults(1);
    const call = await served(faults);
    expect(await call("PUT", { "kms.failed": 1 }, [["Content-Type", "text/plain"]])).toMatchObject({
      status: 415,
    });
    expect(await call("POST", { "kms.failed": 1 })).toMatchObject({ status: 405 });
    expect(faults.rates).toEqual({});
  });
});
