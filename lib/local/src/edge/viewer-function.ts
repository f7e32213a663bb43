import { createContext, Script } from "node:vm";
import * as v from "valibot";
import {
  notDeployable,
  notEmulated,
  type Resource,
  readProperties,
  resolved,
} from "../cloudformation/resource.ts";
import type { GatewayRequest, GatewayResponse, Pair } from "../http/messages.ts";

/** Changes the target of a viewer's request, or answers the request itself. */
export type ViewerFunction = (
  request: GatewayRequest,
  target: string,
) => { target: string } | GatewayResponse;

const Properties = v.strictObject({
  AutoPublish: v.literal(true),
  FunctionCode: v.string(),
  FunctionConfig: v.strictObject({
    Comment: v.optional(v.string()),
    Runtime: v.picklist(["cloudfront-js-1.0", "cloudfront-js-2.0"]),
  }),
  Name: v.string(),
  Tags: v.optional(v.unknown()),
});

const Values = v.record(v.string(), v.object({ value: v.string() }));

/** Result of a function: an answer, or the request. Only the path of the request may change. */
const Result = v.union([
  v.object({ statusCode: v.number(), headers: v.optional(Values, {}), body: v.optional(v.string(), "") }),
  v.object({ uri: v.string() }),
]);

/** Documented limit of a function's code. */
const CODE_BYTES = 10_240;
const RUN_MS = 1000;

/**
 * Reads a function that sees each request of viewers. It runs in a context without Node, and without network as on AWS.
 *
 * @throws {StartupError} if AWS would refuse it, or something of it is not emulated
 */
export function readViewerFunction(resource: Resource): ViewerFunction {
  const { FunctionCode } = readProperties(Properties, resolved(resource));
  if (Buffer.byteLength(FunctionCode) > CODE_BYTES)
    throw notDeployable(resource, `its code has more than ${CODE_BYTES} bytes`);
  let script: Script;
  try {
    script = new Script(`${FunctionCode}\nJSON.stringify(handler(JSON.parse(event)));`);
  } catch (error) {
    throw notEmulated(resource, `FunctionCode: ${error}`);
  }
  return ({ method, headers, sourceIp }, target) => {
    const [uri = "", query] = target.split(/\?(.*)/s, 2);
    const request = { method, uri, querystring: {}, headers: valuesOf(headers), cookies: {} };
    const event = JSON.stringify({ version: "1.0", viewer: { ip: sourceIp }, request });
    const context = createContext({ event }, { codeGeneration: { strings: false, wasm: false } });
    const result = v.parse(Result, JSON.parse(script.runInContext(context, { timeout: RUN_MS })));
    if ("uri" in result) return { target: query === undefined ? result.uri : `${result.uri}?${query}` };
    return {
      status: result.statusCode,
      headers: Object.entries(result.headers).map(([name, { value }]): Pair => [name, value]),
      body: Buffer.from(result.body),
    };
  };
}

const valuesOf = (headers: readonly Pair[]) =>
  Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), { value }]));
