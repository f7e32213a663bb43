import { createHash } from "node:crypto";
import { GetFunctionCommand, type GetFunctionResponse, type LambdaClient } from "@aws-sdk/client-lambda";
import { codeFile, variablesLineIn } from "../../infra/functions/bundle.ts";
import { bundleOf, placesTextOf } from "../../infra/functions/bundled-code.ts";
import { placesFile } from "../../infra/functions/places.ts";
import { type OperationName, operations } from "../../operations/operations.ts";
import type { Operation } from "../../operations/types.ts";
import { reasonOf } from "../admin/operator-error.ts";
import { unzip } from "./unzip.ts";

/** Longest time for the download of a function's code, in milliseconds. */
const downloadMs = 30_000;

type DeployedFunctions = {
  /** Physical names of the functions, by operation. */
  functions: ReadonlyMap<OperationName, string>;
  /** Physical names of all functions of the stacks. */
  all: readonly string[];
};

/**
 * Downloads the code of each function and compares it with the bundles of this checkout, byte by byte except for the
 * line of variables.
 *
 * @returns a line for each function that differs, is missing, or belongs to no operation
 */
export async function codeFaults(
  lambda: LambdaClient,
  { functions, all }: DeployedFunctions,
): Promise<string[]> {
  const faults = expectedWith(functions)
    .filter((name) => !functions.has(name))
    .map((name) => `${name}: the function is missing`);
  // Downloads one after another: the zips take a second in all, and Lambda throttles many reads at once.
  for (const [name, physical] of functions)
    faults.push(...(await faultsOf(lambda, name, physical)).map((fault) => `${name}: ${fault}`));
  const known = new Set(functions.values());
  const others = all.filter((physical) => !known.has(physical));
  return [...faults, ...others.map((physical) => `${physical}: no operation has this function`)];
}

/** Names the functions that a deployment must have: of each capability, such as trading, all or none. */
function expectedWith(functions: ReadonlyMap<OperationName, string>): OperationName[] {
  const found = new Set<string>([
    "always",
    ...[...functions.keys()].map((name) => operations[name].deployed),
  ]);
  return (Object.keys(operations) as OperationName[]).filter((name) => found.has(operations[name].deployed));
}

async function faultsOf(lambda: LambdaClient, name: OperationName, physical: string): Promise<string[]> {
  try {
    const described = await lambda.send(new GetFunctionCommand({ FunctionName: physical }));
    return [...settingFaults(described), ...fileFaults(name, unzip(await downloaded(described)))];
  } catch (error) {
    return [`its code could not be read: ${reasonOf(error)}`];
  }
}

/** Names settings with which Lambda runs other code than that of the zip. */
function settingFaults({ Configuration = {} }: GetFunctionResponse): string[] {
  const { Handler, Layers = [], Environment } = Configuration;
  return [
    ...(Handler === "index.handler" ? [] : [`its handler is ${Handler}`]),
    ...Layers.map(({ Arn }) => `it has the layer ${Arn}`),
    ...["NODE_OPTIONS", "AWS_LAMBDA_EXEC_WRAPPER"]
      .filter((variable) => Environment?.Variables?.[variable] !== undefined)
      .map((variable) => `its variable ${variable} can load other code`),
  ];
}

/** Messages never name the address, which lets anybody read the code for some minutes. */
async function downloaded({ Code, Configuration }: GetFunctionResponse): Promise<Buffer> {
  if (Code?.Location === undefined) throw new Error("Lambda names no address of it");
  const response = await fetch(Code.Location, { signal: AbortSignal.timeout(downloadMs) });
  if (!response.ok) throw new Error(`the download was answered with ${response.status}`);
  const zip = Buffer.from(await response.arrayBuffer());
  if (createHash("sha256").update(zip).digest("base64") !== Configuration?.CodeSha256)
    throw new Error("the download is not what Lambda runs");
  return zip;
}

function fileFaults(name: OperationName, files: ReadonlyMap<string, Buffer>): string[] {
  const head = variablesLineIn(files.get(codeFile)?.toString() ?? "");
  const expected = new Map([
    [codeFile, head + bundleOf(name).text],
    [placesFile, placesTextOf(name, head)],
  ]);
  const row: Operation = operations[name];
  const set = [...head.matchAll(/process\.env\.(\w+)=/g)].map(([, variable = ""]) => variable);
  return [
    // Refuses others, such as AWS_ENDPOINT_URL, which would send what the function reads to another host.
    ...set
      .filter((variable) => !row.env.some((known) => known === variable))
      .map((variable) => `${codeFile} sets ${variable}, which is none of its variables`),
    ...[...expected].flatMap(([file, text]) => {
      const found = files.get(file);
      if (found === undefined) return [`${file} is missing`];
      return found.equals(Buffer.from(text)) ? [] : [`${file} differs from this checkout`];
    }),
    ...[...files.keys()]
      .filter((file) => !expected.has(file))
      .map((file) => `${file} is not in this checkout`),
  ];
}
