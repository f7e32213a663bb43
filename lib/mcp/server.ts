import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import type { Terminal } from "trading-terminal-client";
import { type Answer, problemOf } from "./answers.ts";
import { objectionTo, schemaOf } from "./fields.ts";
import manifest from "./package.json" with { type: "json" };
import { QuoteBook } from "./quote-book.ts";
import { freeTools, type Tool } from "./reads.ts";
import { tradeTools } from "./trades.ts";

const instructions = `Trades tokens on eth, base, bsc, avax and sol for one user, with wallets whose keys stay in the service.
Amounts and prices are text, in whole coins or tokens; percentages are numbers.
Start with list_wallets and find_tokens, which have the addresses that all other tools need.
buy, sell and place_resting_order first answer with a dry run, and trade only with its quoteId.
Each error says in \`next\` what to do. Limits are the user's: never trade around them.`;

/** Leaves the check of arguments to the tools, whose objections name the field and say what to do. */
const unchecked = { getValidator: () => (data: unknown) => ({ valid: true, data, errorMessage: undefined }) };

export type ServerOptions = {
  /** Seconds during which a quote can be confirmed. */
  quoteSeconds: number;
  nowMs?: () => number;
};

/** Makes an MCP server that trades through a terminal. */
export function createServer(
  terminal: Terminal,
  { quoteSeconds, nowMs = Date.now }: ServerOptions,
): McpServer {
  const server = new McpServer({ name: "trading-terminal", version: manifest.version }, { instructions });
  const tools: Readonly<Record<string, Tool>> = {
    ...freeTools,
    ...tradeTools(new QuoteBook(nowMs, quoteSeconds)),
  };
  for (const [name, { description, fields, isRead, run }] of Object.entries(tools)) {
    const inputSchema = fromJsonSchema<Record<string, unknown>>(schemaOf(fields), unchecked as never);
    const annotations = { readOnlyHint: isRead, destructiveHint: !isRead, openWorldHint: true };
    server.registerTool(name, { description, inputSchema, annotations }, async (values) => {
      const objection = objectionTo(fields, values);
      const answer = objection
        ? problemOf({ code: "INVALID_REQUEST", ...objection })
        : await run(terminal, values as never);
      return resultOf(answer);
    });
  }
  return server;
}

function resultOf(answer: Answer) {
  const content = answer.problem ? { error: answer.problem } : answer.data;
  return {
    content: [{ type: "text" as const, text: JSON.stringify(content) }],
    structuredContent: content as Record<string, unknown>,
    ...(answer.problem && { isError: true }),
  };
}
