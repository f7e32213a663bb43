import { Compile, parse } from "velocityjs";
import type { RequestParameters } from "./call.ts";
import { isRequestVariable, type RequestContext } from "./request-context.ts";

export type MappingVariables = { context: RequestContext; parameters: RequestParameters };

export type MappingResult = {
  text: string;
  /** Value of `$context.responseOverride` after the run. */
  override: { header: Record<string, unknown>; status?: unknown };
};

/** A body mapping template in the Velocity language. */
export type MappingTemplate = (variables: MappingVariables) => MappingResult;

type MethodCall = { property: string; context: unknown; params: unknown[] };

const config = {
  // Uses the mode "development", which makes unknown methods and properties an error. The other mode would print their
  // source text.
  env: "development",
  customMethodHandlers: [
    {
      uid: "String.matches",
      match: ({ property, context }: MethodCall) => property === "matches" && typeof context === "string",
      // Java's `String.matches` must match the whole string.
      resolve: ({ context, params }: MethodCall) => new RegExp(`^(?:${params[0]})$`).test(String(context)),
    },
  ],
};

/** @throws {Error} if a part of the language or a variable is not emulated */
export function readMappingTemplate(text: string): MappingTemplate {
  checkMappingTemplate(text);
  return ({ context, parameters }) => {
    const override: MappingResult["override"] = { header: {} };
    const rendered = new Compile(parse(text), config).render({
      context: { ...context, responseOverride: override },
      input: {
        params: (name?: string) => (name === undefined ? allOf(parameters) : oneOf(parameters, name)),
      },
    });
    return { text: rendered, override };
  };
}

// CDK's template for several CORS origins compares an absent header with the empty string.
const missing = "";

function allOf(parameters: RequestParameters) {
  const reader = (values: Record<string, string>) => ({
    get: (name: string) => own(values, name) ?? missing,
  });
  return {
    header: reader(parameters.header),
    querystring: reader(parameters.querystring),
    path: reader(parameters.path),
  };
}

function oneOf({ path, querystring, header }: RequestParameters, name: string): string {
  return own(path, name) ?? own(querystring, name) ?? own(header, name) ?? missing;
}

function own(values: Record<string, string>, name: string): string | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

type Node = { type: string; [key: string]: unknown };
type Reference = { id: string; path: readonly { type: string; id: unknown }[] };

const directives = new Set(["set", "if", "elseif", "else", "end"]);
const literals = new Set(["integer", "decimal", "bool", "math", "comment", "raw"]);

/**
 * Checks every reference in advance, since Velocity renders an unknown one as its own source text.
 *
 * @throws {Error} if a directive or reference is not emulated
 */
function checkMappingTemplate(text: string): void {
  const tree = parse(text);
  const nodes = [...walk(tree)];
  const variables = new Set(nodes.filter(({ type }) => type === "set").map(assignedVariable));
  for (const node of nodes) {
    if (node.type === "references") checkReference(readReference(node), variables);
    else if (node.type !== "string" && !directives.has(node.type) && !literals.has(node.type)) {
      throw new Error(`#${node.type} in a mapping template`);
    }
  }
}

function* walk(value: unknown): Generator<Node> {
  if (Array.isArray(value)) {
    for (const item of value) yield* walk(item);
  } else if (isNode(value)) {
    yield value;
    // A double-quoted string is itself a template.
    if (value.type === "string" && value.isEval) yield* walk(parse(String(value.value)));
    for (const [key, child] of Object.entries(value)) {
      if (key === "path" && Array.isArray(child)) {
        for (const step of child) yield* walk(step.args ?? step.id);
      } else if (key !== "pos") yield* walk(child);
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

function readReference(node: Node): Reference {
  return { id: String(node.id), path: Array.isArray(node.path) ? node.path : [] };
}

function assignedVariable(node: Node): string | undefined {
  const [target] = node.equal as [Node];
  const { id, path } = readReference(target);
  return path.length === 0 ? id : undefined;
}

function checkReference({ id, path }: Reference, variables: ReadonlySet<string | undefined>): void {
  const steps = path.map((step) => (step.type === "method" ? `${step.id}()` : String(step.id)));
  const dotted = steps.join(".");
  const isKnown =
    (id === "context" &&
      (isRequestVariable(dotted) || /^responseOverride\.(status|header\.[\w-]+)$/.test(dotted))) ||
    (id === "input" && /^params\(\)(\.(header|querystring|path)\.get\(\))?$/.test(dotted)) ||
    (variables.has(id) && (dotted === "" || dotted === "matches()"));
  if (!isKnown) throw new Error(`"$${[id, ...steps].join(".")}" in a mapping template`);
}
