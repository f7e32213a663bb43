import { setAccount } from "./made-accounts.ts";
import { type SolDeployment, solDeployment } from "./sol-deployment.ts";
import { type Surfnet, startSurfnet } from "./surfnet.ts";

export type LocalSol = Surfnet & { deployment: SolDeployment };

/**
 * Starts a Solana chain with an exchange, three tokens and their pools.
 *
 * @throws StartupError if it fails to start
 */
export async function startLocalSol(options: {
  slotMs: number;
  deployment?: SolDeployment;
}): Promise<LocalSol> {
  const { slotMs, deployment = await solDeployment() } = options;
  const surfnet = await startSurfnet({ slotMs, jupiter: deployment.jupiter });
  try {
    await Promise.all(
      deployment.accounts.map((each) =>
        setAccount((method, params) => surfnet.request(method, params), each),
      ),
    );
  } catch (error) {
    await surfnet.stop();
    throw error;
  }
  return { ...surfnet, deployment };
}
