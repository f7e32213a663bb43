import type { JsonSchema } from "./components.ts";
import { openApiDocument } from "./openapi.ts";
import { restTags } from "./rest-notes.ts";

type Schema = JsonSchema & {
  $ref?: string;
  type?: string;
  const?: unknown;
  items?: Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
};
type Media = { content?: { "application/json": { schema: Schema } } };
type Operation = {
  operationId: string;
  tags: string[];
  summary: string;
  parameters?: { in: string; required: boolean }[];
  requestBody?: Media;
  responses: Record<string, Media>;
};
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

/** Lists the client's methods for docs/clients.md, in a table for each group of operations. */
export function methodList(): string {
  const { paths, components } = openApiDocument() as unknown as Document;
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const rowOf = (operation: Operation) => {
    const { operationId, summary } = operation;
    const call = `${operationId}(${requestOf(operation, components)})`;
    return `| \`${call}\` | ${dataOf(operation, components)} | ${summary} |`;
  };
  return Object.keys(restTags)
    .map((tag) =>
      [
        `### ${tag}`,
        "",
        "| Method | `data` | |",
        "| --- | --- | --- |",
        ...operations.filter(({ tags }) => tags.includes(tag)).map(rowOf),
      ].join("\n"),
    )
    .join("\n\n");
}

/** Names the parts of a request. Optional parts have a question mark. */
function requestOf({ parameters = [], requestBody }: Operation, { schemas }: Document["components"]): string {
  const places = { path: "path", query: "query", header: "headers" };
  const parts = Object.entries(places).flatMap(([place, name]) => {
    const some = parameters.filter((parameter) => parameter.in === place);
    const isRequired = some.some(({ required }) => required);
    return some.length === 0 ? [] : [isRequired ? name : `${name}?`];
  });
  const body = requestBody?.content?.["application/json"].schema.$ref;
  const fields = body && schemas[body.split("/").at(-1) ?? ""]?.properties;
  const all = [...parts, ...(body === undefined ? [] : [Object.keys(fields ?? {}).length > 0 ? "body" : ""])];
  const given = all.filter((part) => part !== "");
  return given.length === 0 ? "" : `{ ${given.join(", ")} }`;
}

/** Names the fields of a response's data, or else the data's type. */
function dataOf({ responses }: Operation, { schemas }: Document["components"]): string {
  const schema = responses[200]?.content?.["application/json"].schema;
  if (schema === undefined) return "";
  const resolved = (each: Schema): Schema =>
    each.$ref === undefined ? each : (schemas[each.$ref.split("/").at(-1) ?? ""] ?? {});
  const { success, data } = resolved(schema).properties ?? {};
  const shown = (each: Schema): string => {
    const variants = each.oneOf ?? each.anyOf;
    if (each.$ref !== undefined && variants === undefined && data === undefined)
      return `\`${each.$ref.split("/").at(-1)}\``;
    if (each.type === "array") return `${shown(each.items ?? {}).slice(0, -1)}[]\``;
    if (variants !== undefined) return variants.map(shown).join(" or ");
    return `\`{ ${Object.keys(resolved(each).properties ?? {}).join(", ")} }\``;
  };
  return shown(success?.const === true && data !== undefined ? data : schema);
}
