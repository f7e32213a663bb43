import { readWallets } from "./read-wallets.ts";

export const handler = async () => ({
  statusCode: 200,
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(await readWallets()),
});
