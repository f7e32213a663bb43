import assert from "node:assert/strict";
import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

/** Maximum number of tool calls in one scenario. */
const mostCalls = 12;

const program = resolve(import.meta.dirname, "../../lib/mcp/main.ts");

type Values = Readonly<Record<string, unknown>>;

/** Answer of a tool, whose fields the scenarios read as they are. */
// biome-ignore lint/suspicious/noExplicitAny: An agent knows an answer by its text alone, and has no types of it.
export type Told = any;

/**
 * An agent without a language model: it is given the address of the service and a key, in its environment, and knows only
 * what the tools say. It chooses a tool by the words of its name.
 */
export class Agent {
  /** Number of calls so far. */
  calls = 0;
  readonly keyId: string;
  readonly #environment: Record<string, string>;
  #client: Client | undefined;
  #transport: StdioClientTransport | undefined;
  #tools: Awaited<ReturnType<Client["listTools"]>>["tools"] = [];

  constructor(keyId: string, environment: Record<string, string>) {
    this.keyId = keyId;
    this.#environment = environment;
  }

  async start(): Promise<void> {
    const env = { ...this.#environment, PATH: process.env.PATH ?? "" };
    this.#transport = new StdioClientTransport({ command: process.execPath, args: [program], env });
    this.#client = new Client({ name: "scripted-agent", version: "1.0.0" });
    await this.#client.connect(this.#transport);
    this.#tools = (await this.#client.listTools()).tools;
  }

  async stop(): Promise<void> {
    await this.#client?.close();
  }

  /** Kills the process of the tools, as a crash does. */
  crash(): void {
    process.kill(this.#transport?.pid as number, "SIGKILL");
  }

  /** Calls the tool whose name has these words, and again if the service asks it to wait. Fails if the tool refuses. */
  async ask(words: string, values: Values = {}): Promise<Told> {
    const { error, ...told } = await this.#call(words, values);
    if (error?.retryAfterSeconds !== undefined) {
      await pause(error.retryAfterSeconds * 1000);
      return this.ask(words, values);
    }
    assert.equal(error, undefined, `${words}: ${JSON.stringify(error)}`);
    return told;
  }

  /** Calls the tool whose name has these words. Returns its refusal, which says what to do next. */
  async refused(words: string, values: Values): Promise<Told> {
    const { error, ...told } = await this.#call(words, values);
    assert.ok(error?.next, `${words} was not refused: ${JSON.stringify(told)}`);
    return error;
  }

  /** Calls a tool, and calls it again as long as its answer says so. */
  async #call(words: string, values: Values): Promise<Told> {
    const told = await this.#callOnce(words.replaceAll(" ", "_"), values);
    return told.error?.next.startsWith("Call again with the same arguments")
      ? this.#call(words, values)
      : told;
  }

  async #callOnce(name: string, values: Values): Promise<Told> {
    const tool = this.#tools.find((one) => one.name === name);
    assert.ok(tool, `There is no tool ${name}`);
    assert.ok(++this.calls <= mostCalls, `The agent needs more than ${mostCalls} calls`);
    const result = await this.#client?.callTool({ name, arguments: values });
    return result?.structuredContent;
  }
}
