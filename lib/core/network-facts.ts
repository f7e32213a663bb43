/**
 * Facts about networks that their developers may change. Amounts are in the smallest unit, and times in seconds. Each
 * has its day and source in {@link evidence}. Functions import single facts, because the list would make their code
 * larger.
 */
export const ethBlockSeconds = 12;
export const baseBlockSeconds = 0.2;
export const bscBlockSeconds = 0.45;
export const avaxBlockSeconds = 1;
export const solSlotSeconds = 0.2;

/** Number of blocks for which a blockhash is valid on Solana. */
export const solBlockhashBlocks = 150;

/** Maximum gas of a transaction (EIP-7825). Hosts refuse calls with more, or grant less. */
export const mostCallGas = 16_777_216n;

/** Gas of an empty transaction to an account with coins. */
export const emptyCallGas = 21_000n;

/** Lowest tip that bsc's validators accept. */
export const bscLowestTip = 50_000_000n;

export const networkFacts = {
  ethBlockSeconds,
  baseBlockSeconds,
  bscBlockSeconds,
  avaxBlockSeconds,
  /** Time from a block to its finality, in eth's two epochs. */
  ethFinalSeconds: 900,
  mostCallGas,
  emptyCallGas,
  bscLowestTip,
  /** Number of sets of Slipstream's contracts whose factories Aerodrome's registry approves. */
  slipstreamSets: 3,
  solSlotSeconds,
  /** Time from a slot to its finality. */
  solFinalSeconds: 0.15,
  solBlockhashBlocks,
  /** Lamports for each byte of an account, and for the 128 bytes that each account has in addition. */
  solRentPerByte: 5_080,
  /** Numbers of the fee configurations of Raydium's CPMM, from 0. */
  cpmmConfigurations: 8,
  /** Changes to come, with the day from which they apply if it is known. */
  ethGlamsterdam: "undecided",
  bscJenner: "2026-12-08",
  /** A payer who cannot pay is in a block as failed, without a fee (SIMD-0290). */
  solUnpaidFailures: "with Agave 4.4",
  /** Transactions of 4,096 bytes. */
  solTransactionV1: "undecided",
  /** Hosts of Solana no longer know the commitment `confirmed`. */
  solConfirmedRemoval: "undecided",
} as const;

export type FactName = keyof typeof networkFacts;

/** A day on which somebody compared a fact with its source. */
export type Evidence = { seen: string; source: string };

const firstSeen = "2026-11-28";

/** When and where each fact was last seen. The nightly check asks for a new look after 90 days. */
export const evidence: Readonly<Record<FactName, Evidence>> = {
  ethBlockSeconds: { seen: firstSeen, source: "ethereum.org/developers/docs/blocks" },
  baseBlockSeconds: { seen: firstSeen, source: "docs.base.org" },
  bscBlockSeconds: { seen: firstSeen, source: "docs.bnbchain.org" },
  avaxBlockSeconds: { seen: firstSeen, source: "build.avax.network" },
  ethFinalSeconds: { seen: firstSeen, source: "ethereum.org/developers/docs/consensus-mechanisms/pos" },
  mostCallGas: { seen: firstSeen, source: "eips.ethereum.org/EIPS/eip-7825" },
  emptyCallGas: { seen: firstSeen, source: "eips.ethereum.org/EIPS/eip-2780, which Glamsterdam may bring" },
  bscLowestTip: { seen: firstSeen, source: "docs.bnbchain.org" },
  slipstreamSets: { seen: "2026-10-09", source: "FactoryRegistry of Aerodrome on base" },
  solSlotSeconds: { seen: firstSeen, source: "helius.dev/blog/agave-v4-4" },
  solFinalSeconds: { seen: firstSeen, source: "solana.com/docs/defi/finality" },
  solBlockhashBlocks: { seen: firstSeen, source: "SIMD-0525" },
  solRentPerByte: { seen: firstSeen, source: "docs.chainstack.com, solana-rent-reduction" },
  cpmmConfigurations: { seen: firstSeen, source: "public lists of the accounts of CPMM" },
  ethGlamsterdam: { seen: firstSeen, source: "blog.ethereum.org" },
  bscJenner: { seen: firstSeen, source: "github.com/bnb-chain/bsc, v1.8.2" },
  solUnpaidFailures: { seen: firstSeen, source: "SIMD-0290, Agave 4.4" },
  solTransactionV1: { seen: firstSeen, source: "helius.dev/blog/agave-v4-4" },
  solConfirmedRemoval: { seen: firstSeen, source: "solana.com/docs/defi/finality" },
};
