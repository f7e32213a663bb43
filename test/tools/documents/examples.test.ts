import { describe, expect, it } from "vitest";
import type { OperationSchemas } from "../../../lib/api/operation-schema.ts";
import { schemas } from "../../../lib/api/operation-schemas.ts";
import { restMethods } from "../../../lib/operations/operations.ts";
import { validate } from "../../../lib/runtime/validate.ts";
import { pages, textOf } from "./markdown.ts";

/** Values for the examples' shell variables. */
const variables: Record<string, string> = {
  W: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
  MOON: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
  USDX: "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
  ORDER_ID: "01KAMZ3Q5T9WJ2M4N6P8R0S1V3",
  WALLET_ID: "8f14e45f-ceea-4e7d-9c1a-1d2b3c4d5e6f",
  EXPIRES_AT: "2026-12-31T00:00:00.000Z",
};

type Example = { page: string; method: string; path: string; body: string | undefined };

/** Finds a page's example calls of the service. A command may continue on the next line. */
function examplesIn(page: string): Example[] {
  const lines = textOf(page)
    .replaceAll(/ \\\n\s*/g, " ")
    .split("\n");
  return lines
    .filter((line) => line.startsWith("curl "))
    .flatMap((line) => {
      const known = line.replaceAll(
        /'?\$(W|MOON|USDX|ORDER_ID|WALLET_ID|EXPIRES_AT)\b'?/g,
        (_, name) => variables[name] ?? "",
      );
      const [, path] = /(?:\$BASE_URL|http:\/\/127\.0\.0\.1:3000)(\/[^\s"]*)/.exec(known) ?? [];
      const [, body] = / -d '(\{.*\})'/.exec(known) ?? [];
      const isLocal = path === undefined || /^\/_?local\//.test(path);
      const [, method = body === undefined ? "GET" : "POST"] = / -X ([A-Z]+)/.exec(known) ?? [];
      return isLocal ? [] : [{ page, path, body, method }];
    });
}

/** Finds the operation for a path and extracts the path's parameters. */
function operationOf({ method, path }: Example) {
  const { pathname, searchParams } = new URL(path, "http://service");
  for (const row of restMethods) {
    const pattern = row.path.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)");
    const match = new RegExp(`^${pattern}$`).exec(pathname);
    if (match !== null && row.method === method)
      return { name: row.name, path: { ...match.groups }, query: Object.fromEntries(searchParams) };
  }
  throw new Error(`No operation serves ${method} ${path}`);
}

const examples = pages.flatMap(examplesIn);

describe("the example calls in documents", () => {
  it("includes at least one example call for every HTTP method", () => {
    expect(new Set(examples.map(({ method }) => method))).toEqual(
      new Set(["GET", "POST", "PATCH", "PUT", "DELETE"]),
    );
  });

  it.each(examples)("accepts the example call of $page: $method $path $body", (example) => {
    const { name, path, query } = operationOf(example);
    const schema: OperationSchemas | undefined = schemas[name];
    if (schema?.path) validate(schema.path, path);
    if (schema?.query) validate(schema.query, query);
    if (schema?.body) validate(schema.body, JSON.parse(example.body ?? ""));
  });
});
