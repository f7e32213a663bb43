import { contextVariable, type ErrorContext, isContextVariable } from "./context-variables.ts";
import type { RequestContext } from "./request-context.ts";

type TemplateVariables = {
  context: RequestContext & { error: ErrorContext };
  stageVariables: Record<string, string>;
};

/** A body template of a gateway response: text with simple variables. It is not VTL. */
export type ResponseTemplate = (variables: TemplateVariables) => string;

const variable = /\$(context|stageVariables)\.([A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*)/g;
const directive = /#(set|if|elseif|else|end|foreach|macro|define|include|parse|evaluate|stop|break)\b/;

/**
 * Values are put in as they are, without any JSON escaping.
 *
 * @throws Error for a directive or variable that is not emulated
 */
export function readResponseTemplate(text: string): ResponseTemplate {
  const [unknown] = directive.exec(text) ?? /\$[!{A-Za-z_]+/.exec(text.replaceAll(variable, "")) ?? [];
  if (unknown) throw new Error(`"${unknown}" in a gateway response template`);
  for (const [whole, root, path = ""] of text.matchAll(variable)) {
    if (root === "context" && !isContextVariable(path))
      throw new Error(`"${whole}" in a gateway response template`);
  }
  return ({ context, stageVariables }) =>
    text.replaceAll(variable, (_, root: string, path: string) => {
      if (root === "context") return contextVariable(context, path);
      return Object.hasOwn(stageVariables, path) ? (stageVariables[path] ?? "") : "";
    });
}
