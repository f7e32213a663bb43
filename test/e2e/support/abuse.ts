import type { Key } from "../../support/keys.ts";
import { type Answer, get, post, send, sendRaw } from "./client.ts";
import { endpoints } from "./endpoints.ts";
import { newUser } from "./users.ts";

export type Secrets = {
  /** Private keys that can be imported. */
  keys: readonly Key[];
  /** Malformed private keys. */
  badKeys: readonly string[];
  words: readonly string[];
  goodToken: string;
  badTokens: readonly string[];
};

/** Puts secrets into every part of a request. @returns the responses. */
export async function abuse({ keys, badKeys, words, goodToken, badTokens }: Secrets): Promise<Answer[]> {
  const typed = ["Content-Type", "application/json"] as const;
  const other = { token: (await newUser()).token };
  const own = { token: goodToken };
  const answers: Answer[] = [];
  const say = async (asked: Promise<Answer>) => void answers.push(await asked);

  for (const { network, privateKey } of keys) {
    const body = { network, privateKey };
    await say(post("/storeWallet_v2", { ...own, body }));
    await say(post("/storeWallet_v2", { ...own, body: { ...body, network: "btc" } }));
    await say(post("/storeWallet_v2", { ...own, body: { ...body, network: privateKey } }));
    await say(post("/storeWallet_v2", { ...own, body: { ...body, [privateKey]: 1 } }));
    await say(post("/storeWallet_v2", { ...own, body: { network, privateKey: [privateKey] } }));
    await say(post("/storeWallet_v2", { ...own, body: JSON.stringify(body).slice(0, -1) }));
    await say(post("/storeWallet_v2", { ...own, body: privateKey }));
    await say(post("/storeWallet_v2", { body }));
    await say(post(`/storeWallet_v2?privateKey=${privateKey}`, { ...own, body: {} }));
    await say(post(`/updateTradingSettings/${privateKey}`, { ...own, body: {} }));
    await say(post("/updateTradingSettings/eth", { ...own, body: { gasPreset: privateKey } }));
    await say(get(`/getUserData?type=${privateKey}`, own));
    await say(get(`/${privateKey}`, own));
    await say(sendRaw("POST", "/storeWallet_v2", [["Content-Type", privateKey]], privateKey));
  }
  for (const privateKey of badKeys)
    for (const network of ["eth", "sol"])
      await say(post("/storeWallet_v2", { ...other, body: { network, privateKey } }));
  for (const word of words) {
    await say(post("/storeWallet_v2", { ...other, body: { network: word, privateKey: word } }));
    await say(post("/storeWallet_v2", { ...other, body: `{"network":"eth","privateKey":"${word}"` }));
    await say(post("/updateTradingSettings/sol", { ...other, body: { slippage: word, autoBuy: [word] } }));
    await say(sendRaw("POST", "/updateTradingSettings/sol", [typed], JSON.stringify({ slippage: word })));
  }
  for (const token of badTokens) {
    for (const { method, path, body } of endpoints) await say(send(method, path, { token, body }));
    await say(get("/listWallets", { headers: { Cookie: `__Host-access_token=${token}` } }));
  }
  for (const { method, path, body } of endpoints) await say(send(method, path, { ...own, body }));
  for (const token of [goodToken, ...badTokens]) {
    await say(get(`/listWallets?access_token=${token}`));
    await say(get(`/nothing/${token}`, { token }));
    await say(get("/listWallets", { headers: { Authorization: `Basic ${token}` } }));
    await say(get("/listWallets", { token, headers: { Origin: `https://${token.slice(-20)}.example` } }));
    await say(sendRaw("POST", "/storeWallet_v2", [["Authorization", `Bearer ${token}`], typed], token));
  }
  return answers;
}
