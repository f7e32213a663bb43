/** Runs the minimal read in an Express app behind an adapter, like many services that moved to Lambda. */
import express from "express";
import serverless from "serverless-http";
import { readWallets } from "./read-wallets.ts";

const app = express();
app.use(express.json());
app.get("/listWallets", async (_, response) => {
  response.json(await readWallets());
});

export const handler = serverless(app);
