import { deepStrictEqual } from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeJwt } from "jose";
import { operations, type RestOperationName } from "../../lib/operations/operations.ts";
import { changeUser } from "../../lib/tools/admin/commands/set-user.ts";
import type { BoxAnswer, BoxRequest } from "./box-process.ts";
import { startChild } from "./child.ts";
import { type Call, type LoadFigures, send, underLoad } from "./load.ts";
import type { Service } from "./service.ts";

/** Figures of the service, and of the single machine if it has the operation. */
export type OperationFigures = {
  name: string;
  atOnce: number;
  service: LoadFigures;
  box: LoadFigures | undefined;
};

/** Operations to measure, with their request bodies. */
const measured = {
  listWallets: undefined,
  updateTradingSettings: (index) => ({ slippage: 1 + (index % 100) / 100 }),
  // Generates the private keys 1, 2, 3 and so on, of empty wallets.
  storeWallet: (index) => ({ network: "eth", privateKey: `0x${(index + 1).toString(16).padStart(64, "0")}` }),
} satisfies { [Name in RestOperationName]?: ((index: number) => object) | undefined };

const ofBox: readonly string[] = ["listWallets", "updateTradingSettings"];

const crowds = [1, 8, 32];

/** Number of wallets in the measured list. */
const listedWallets = 3;

/**
 * Measures operations of the service and of the single machine in turns. Each has its own user, who stays far below the
 * limits of plan and tier.
 */
export async function operationFigures(service: Service, seconds: number): Promise<OperationFigures[]> {
  const folder = mkdtempSync(join(tmpdir(), "bench-box-"));
  const { iss = "", aud } = decodeJwt(await service.token("box"));
  const issuer = ["--issuer", iss, "--audience", `${aud}`, "--jwks-uri", `${iss}/jwks.json`];
  const box = await startChild<BoxRequest, BoxAnswer>("box-process.ts", "--folder", folder, ...issuer);
  const figures: OperationFigures[] = [];
  try {
    for (const name of Object.keys(measured) as (keyof typeof measured)[]) {
      const user = await newUser(service, `latency-${name}`);
      const onService = user.calls(name, service.baseUrl);
      const onBox = user.calls(name, box.first.baseUrl);
      if (name === "listWallets") {
        const storing = user.calls("storeWallet", service.baseUrl);
        for (let index = 0; index < listedWallets; index++) await send(storing());
        await box.ask({ userID: user.userID, wallets: await send<object[]>(onService()) });
      }
      if (ofBox.includes(name)) await expectSameFields(onService(), onBox());
      for (const atOnce of crowds) {
        const load = { atOnce, seconds };
        figures.push({
          name,
          atOnce,
          service: await underLoad(onService, { ...load, serverPid: service.pid }),
          box: ofBox.includes(name) ? await underLoad(onBox, { ...load, serverPid: box.pid }) : undefined,
        });
      }
    }
    return figures;
  } finally {
    await box.stop();
    rmSync(folder, { recursive: true });
  }
}

async function newUser({ baseUrl, table, token }: Service, userID: string) {
  const Authorization = `Bearer ${await token(userID)}`;
  await send({ method: "GET", url: `${baseUrl}/getUserData`, headers: { Authorization } });
  await changeUser(table, userID, { tier: "Enterprise", requestsPerMinute: 60_000 }, new Date());
  return {
    userID,
    /** Makes calls of an operation, each with a different body. */
    calls(name: keyof typeof measured, place: string): () => Call {
      const { method, path } = operations[name];
      const url = place + path.replace("{chain}", "eth");
      const bodyOf = measured[name];
      let count = 0;
      return () => {
        if (bodyOf === undefined) return { method, url, headers: { Authorization } };
        const headers = { Authorization, "Content-Type": "application/json" };
        return { method, url, headers, body: bodyOf(count++) };
      };
    },
  };
}

/**
 * Compares the responses of the service and of the single machine.
 *
 * @throws if their fields differ, because comparing their times would then mean nothing.
 */
async function expectSameFields(call: Call, other: Call): Promise<void> {
  const fieldsOf = (answer: object) => JSON.stringify(Object.keys([answer].flat()[0] ?? {}).toSorted());
  deepStrictEqual(fieldsOf(await send<object>(other)), fieldsOf(await send<object>(call)));
}
