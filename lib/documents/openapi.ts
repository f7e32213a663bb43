import type * as v from "valibot";
import { errorBodies, type HttpErrorCode, statusOfCode, UnauthorizedBodySchema } from "../api/errors.ts";
import { type OperationSchemas, schemas } from "../api/operation-schemas.ts";
import type { RestRow } from "../operation-types.ts";
import { operationsOf, type RestOperationName } from "../operations.ts";
import { type JsonSchema, schemaComponents } from "./components.ts";

const reasons: Record<number, string> = {
  400: "The request cannot be read or breaks a rule. The message names the field.",
  401: "No token, or one that is not accepted. `needsRefresh` is true if the token has expired.",
  403: "The wallet limit of the user's tier is reached.",
  415: "The Content-Type is not application/json.",
  429: "Too many requests. Try again after `Retry-After` seconds.",
  500: "The service failed. No change is ever saved in part.",
};

/** The OpenAPI 3.1 description of the REST API. */
export function openApiDocument(): JsonSchema {
  const components = schemaComponents("draft-2020-12");
  const json = (schema: v.GenericSchema) => ({ "application/json": { schema: components.convert(schema) } });

  function operation(name: RestOperationName, row: RestRow): JsonSchema {
    const { path, query, body, success }: OperationSchemas = schemas[name];
    const parameters = [...parametersIn("path", path), ...parametersIn("query", query)];
    return {
      operationId: name,
      summary: row.summary,
      ...(parameters.length > 0 && { parameters }),
      ...(body && { requestBody: { required: true, content: json(body) } }),
      responses: {
        200: { description: "Success", content: json(success) },
        ...Object.fromEntries(errorStatuses(schemas[name]).map((status) => [status, error(status, row)])),
      },
    };
  }

  function parametersIn(place: "path" | "query", schema: v.GenericSchema | undefined): JsonSchema[] {
    if (schema === undefined) return [];
    const { properties = {}, required = [] } = components.convert(schema) as Parameters;
    return Object.entries(properties).map(([name, { description, ...property }]) => {
      const common = { name, in: place, required: required.includes(name), schema: property };
      return description === undefined ? common : { ...common, description };
    });
  }

  function error(status: number, { errors }: RestRow): JsonSchema {
    const content = json(gatewayBody(status) ?? errorBodies[status < 500 ? errors.client : errors.server]);
    const retry = { "Retry-After": { description: "Seconds", schema: { type: "integer" } } };
    return { description: reasons[status], ...(status === 429 && { headers: retry }), content };
  }

  const paths: Record<string, JsonSchema> = {};
  for (const [name, row] of operationsOf("rest")) {
    paths[row.path] = { ...paths[row.path], [row.method.toLowerCase()]: operation(name, row) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Multi-chain trading terminal",
      version: "1.0.0",
      description: "Wallets, trading settings, profiles and rewards for a multi-chain trading terminal.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "http://127.0.0.1:3000", description: "The local runner" }],
    security: [{ bearer: [] }, { cookie: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description: "Takes precedence over the cookie.",
        },
        cookie: { type: "apiKey", in: "cookie", name: "access_token" },
      },
      schemas: components.schemas,
    },
  };
}

type Parameters = { properties?: Record<string, JsonSchema>; required?: string[] };

function errorStatuses({ path, body, domainErrors = [] }: OperationSchemas): number[] {
  const codes: HttpErrorCode[] = [...domainErrors, "INTERNAL_ERROR"];
  if (path !== undefined || body !== undefined) codes.push("INVALID_REQUEST");
  if (body !== undefined) codes.push("UNSUPPORTED_MEDIA_TYPE");
  return [...new Set([...codes.map((code) => statusOfCode[code]), 401, 429])].sort();
}

/** API Gateway answers these itself, with one body for all operations. */
function gatewayBody(status: number): v.GenericSchema | undefined {
  return { 401: UnauthorizedBodySchema, 429: errorBodies.error }[status];
}
