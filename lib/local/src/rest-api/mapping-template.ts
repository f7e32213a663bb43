import { Compile, parse } from "velocityjs";
import { checkMappingTemplate } from "./mapping-template-check.ts";
import type { RequestContext } from "./request-context.ts";
import type { RequestParameters } from "./request-parameters.ts";

export type MappingVariables = { context: RequestContext; parameters: RequestParameters };

export type MappingResult = {
  text: string;
  /** `$context.responseOverride` after the run. */
  override: { header: Record<string, unknown>; status?: unknown };
};

/** A body mapping template in the Velocity language. */
export type MappingTemplate = (variables: MappingVariables) => MappingResult;

type MethodCall = { property: string; context: unknown; params: unknown[] };

const config = {
  // Makes a method or property that is not there an error; the other mode prints its source text.
  env: "development",
  customMethodHandlers: [
    {
      uid: "String.matches",
      match: ({ property, context }: MethodCall) => property === "matches" && typeof context === "string",
      // As in Java, the pattern has to match the whole string.
      resolve: ({ context, params }: MethodCall) => new RegExp(`^(?:${params[0]})$`).test(String(context)),
    },
  ],
};

/** @throws Error for a part of the language or a variable that is not emulated */
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

// CDK's template for several CORS origins compares a header that was not sent with the empty string.
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
