import { type GatewayResponse, json } from "cdk-local-runner";
import { type RpcQuestion, type RpcReply, refusal } from "./rpc-service.ts";

/** Ways in which providers refuse batches above their limit: as a whole, or call by call. */
const batchRefusals = {
  base: {
    most: 10,
    refuse: () => json(200, { jsonrpc: "2.0", id: null, ...refusal(-32014, "maximum 10 calls in 1 batch") }),
  },
  drpc: {
    most: 3,
    refuse: (questions: readonly RpcQuestion[]) =>
      json(
        500,
        questions.map(({ id }) => ({ jsonrpc: "2.0", id, ...refusal(31, tooManyForFree) })),
      ),
  },
};

const tooManyForFree =
  "Batch of more than 3 requests are not allowed on free tier, to use this feature register paid account at drpc.org";

export type BatchLimit = keyof typeof batchRefusals;

export const batchLimits = Object.keys(batchRefusals) as BatchLimit[];

/** Returns the refusal of a batch that is too large, or undefined for any other batch. */
export function batchRefusal(
  limit: BatchLimit | undefined,
  questions: readonly RpcQuestion[],
): GatewayResponse | undefined {
  const rule = limit && batchRefusals[limit];
  return rule === undefined || questions.length <= rule.most ? undefined : rule.refuse(questions);
}

/** Errors of hosts that lack `eth_simulateV1` or allow it too little gas, as geth, Alchemy and proxyd word them. */
const missingSimulations = {
  unknown: refusal(-32601, "the method eth_simulateV1 does not exist/is not available"),
  unsupported: refusal(-32600, "Unsupported method: eth_simulateV1 on ETH_MAINNET"),
  notWhitelisted: refusal(-32001, "rpc method is not whitelisted"),
  gasLimit: refusal(-38015, "block gas limit reached: 0 >= 30000000"),
};

export type MissingSimulation = keyof typeof missingSimulations;

export const waysToMissSimulation = Object.keys(missingSimulations) as MissingSimulation[];

export const missingSimulation = (
  way: MissingSimulation | undefined,
  { method }: RpcQuestion,
): RpcReply | undefined =>
  way === undefined || method !== "eth_simulateV1" ? undefined : missingSimulations[way];

/** Errors with which geth refuses transactions. */
const sendRefusals = {
  insufficientFunds: refusal(
    -32000,
    "insufficient funds for gas * price + value: balance 0, tx cost 21000, overshot 21000",
  ),
  replacementUnderpriced: refusal(-32000, "replacement transaction underpriced"),
  underpriced: refusal(-32000, "transaction underpriced: gas tip cap 1, minimum needed 50000000"),
};

export type SendRefusal = keyof typeof sendRefusals;

export const sendRefusalNames = Object.keys(sendRefusals) as SendRefusal[];

/** Returns the refusal that a transaction meets, or undefined for other questions. */
export function refusedSend(
  { method }: RpcQuestion,
  strikes: (name: SendRefusal) => boolean,
): RpcReply | undefined {
  const name = method === "eth_sendRawTransaction" ? sendRefusalNames.find(strikes) : undefined;
  return name && sendRefusals[name];
}

/** Makes an error of 10,000 characters by repeating the request. */
export function longError(question: RpcQuestion): RpcReply {
  const quote = JSON.stringify(question);
  return refusal(
    -32603,
    `internal error: ${quote.repeat(Math.ceil(10_000 / quote.length))}`.slice(0, 10_000),
  );
}
