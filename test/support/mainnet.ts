/*
 * Accounts of Solana's mainnet, as its hosts returned them, with independently published facts. Nothing in this file
 * comes from the code under test.
 */

/** Builds an account's data from base64 parts, each at a byte offset, padded with zeros. */
function shown(length: number, parts: Readonly<Record<number, readonly string[]>>): Uint8Array {
  const data = Buffer.alloc(length);
  for (const [at, lines] of Object.entries(parts))
    data.set(Buffer.from(lines.join(""), "base64"), Number(at));
  return Uint8Array.from(data);
}

/** Raydium pools of wrapped SOL and a token, with the addresses that Raydium's API lists. */
export const raydiumPools = {
  /** A pool without a creator's fee, as of epoch 833. */
  plain: {
    address: "Q2sPHPdUWFMg7M7wwrQKLrn619cAucfRsmhVJffodSp",
    mint: "Dz9mQ9NzkBcCsuGPFJ3r1bS4wgqKMHBPiVuniW8Mbonk",
    vaults: {
      coin: "HgNPDD8bpbSrGyHegiCT5xrYxHTfwLfZydwGkjNCJRKA",
      token: "9xsCiNwYQXM3ZeHFSVj9JQdP1vREJREpN23f6wvxA1ty",
    },
    observation: "4UdSz2kMddtX4woMmdgkWg75fdBP8FgYwqfkh4ri7mnD",
    data: shown(637, {
      0: [
        "9+3j9dfD3kazIT+6i/nIf6keR4GWKMOD4AvqfpjHoD4DuhBpz8P28weDqBUmIQ+UoOjoTSCHADs6QmDSnOedrP4hpOp3H6Yo99DR",
        "9Nz3HrIvLX+7YqZ2L5QFPcbvqO5j7jgEz1A6FvWFLTQUxi+NcVdpuk2Us1Cb8MiCjK8yI7k/I/2wM8rbvkgG4f/8XSR9OfB6Fham",
        "Y3bUmPUZIrYgM7RdSto8z863BpuIV/6rgYT7aH9jRhjANdrEOdwa6ztVmKDwAAAAAAHA8EKqrJ+CN0bMEOEE02NVkc8tejRxrm8H",
        "J8CP2ydNhQbd9uHXZaGT2cvhRs7reawctIXtX1s3kTqM9YV+/wCpBt324ddloZPZy+FGzut5rBy0he1fWzeROoz1hX7/AKkzpvRZ",
        "yLWF6nuaHB6SMwzfHdkN/3ZUCsHaqKbnX+PiTv0ACQkGLaITJdADAACoruUcAAAAAGraDhEAAAAAHOJdBwAAAADXe7MEAAAAAFVh",
        "H2gAAAAAQQM=",
      ],
    }),
  },
  /** A pool with a creator's fee in the coin, as of epoch 841. */
  ofCreator: {
    address: "BtGUffMEnxrzdjyC3kKAHjGMpG1UdZiVWXZUaSpUv13C",
    mint: "4JPyh4ATbE8hfcH7LqhxF3YThsECZm6htmLvMUyrbonk",
    vaults: {
      coin: "SvbJANoKJmz6RqEJBj5gjPrfurkKzhfGXUvaEams48y",
      token: "FgPdQQ37kZVDqsfgPSLzC851mx9BMP6HRYe2ia4HDNLe",
    },
    observation: "369Hj5tT85pGAwsUESErUeZybnk5cTBoJ1tysDbs4eM9",
    data: shown(637, {
      0: [
        "9+3j9dfD3kazIT+6i/nIf6keR4GWKMOD4AvqfpjHoD4DuhBpz8P28x8Na0rc7C1Zm7LyJl4ShisCRi0+5a8Nk4OaqdH0m7wVBqQd",
        "uY0Igai9wR2ia3vG3PgpwHivUyv22iEjyfHy/CraGtqK7nhH5z24aSL2iI6mFwcGnviAEXfRG0m3q1L/5x4J70KbYQNB95Fy7IrH",
        "ByfvAX2wY0tJu+3I7ItHuCA+BpuIV/6rgYT7aH9jRhjANdrEOdwa6ztVmKDwAAAAAAExB+pJ3KsjugmehWQPi7KSS7v4rbB+qi46",
        "TyOqDmQA9Qbd9uHXZaGT2cvhRs7reawctIXtX1s3kTqM9YV+/wCpBt324ddloZPZy+FGzut5rBy0he1fWzeROoz1hX7/AKkfCKZL",
        "j4dOgvwYS5t4w4t0gbKegIyNEYUvo/IxnasrnP0ACQkGmu4BXX0DAAAmCOwCAAAAAD4qgssAAAAAR5w9AAAAAABLEssNAAAAAKfs",
        "sWgAAAAASQMAAAAAAAABAQAAAAAAAIKNfdgN",
      ],
    }),
  },
} as const;

/** Owner of all pools' vaults. */
export const raydiumAuthority = "GpMZbSM2GgvTKHJirzeGfMFoaZ8UR2X7F4v8vHTvxFbL";

/** Raydium's fee configurations by number. */
export const raydiumConfigs = [
  "D4FPEruKEHrG5TenZ2mpDGEfu1iUvTiqBxvpU8HLBvC2",
  "G95xxie3XbkCqtE39GgQ9Ggc7xBC8Uceve7HFDEFApkc",
  "2fGXL8uhqxJ4tpgtosHZXT4zcQap6j62z3bMDxdkMvy5",
  "C7Cx2pMLtjybS3mDKSfsBj4zQ3PRZGkKt7RCYTTbCSx2",
  "BhH6HphjBKXu2PkUc2aw3xEMdUvK14NXxE5LbNWZNZAA",
  "BgxH5ifebqHDuiADWKhLjXGP5hWZeZLoCdmeWJLkRqLP",
  "B5u5x9S5pyaJdonf7bXUiEnBfEXsJWhNxXfLGAbRFtg2",
  "ESLj2Rzmvn3RhDo4Z18hY1wYmGyC9xM4ZtRXhvoFkDAi",
] as const;

/** Configuration number 2: trades pay 2 %, and creators get 0.05 %. */
export const raydiumConfig2 = shown(236, {
  0: [
    "2vQhaMvLK2//AAIAIE4AAAAAAADA1AEAAAAAAECcAAAAAAAAgNHwCAAAAAAF2xU6D/SH9pzeiQAf7ExGlbbUIV6iRLh71Otyh/hX",
    "qNcGSjj20XsRPl9m3PtjuHN//OJkSr8KALmLNDVtY4WD9AE=",
  ],
});

/** USDC's mint, its Metaplex account and a holder's account. */
export const usdc = {
  mint: shown(82, {
    0: [
      "AQAAAJj+huiNm+Lqi8HMpIeLKYjCQPUrhCS/tA7Rot3LXhmb7QfELUMcHQAGAQEAAABicKqKWcWUBbRShshncubNEm6bil06OFNt",
      "N/e0FOi2Zw==",
    ],
  }),
  metadata: shown(679, {
    0: [
      "BBzjWe1aAS4E+hQrnHUaHF6Hz9CgFhuchf/TG3jN/Nj2xvp6877brTo9ZfNqq8l0MbG75MLS9uDkfKYCA0UvXWEgAAAAVVNEIENv",
      "aW4AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAKAAAAVVNEQwAAAAAAAMg=",
    ],
  }),
  account: shown(165, {
    0: ["xvp6877brTo9ZfNqq8l0MbG75MLS9uDkfKYCA0UvXWFBkiOb7GPMi1NAGOWDHGXebLXT8c1G9KNcuu8gXpunchH/+gwA"],
    108: ["AQ=="],
  }),
} as const;

/** A holder's account of wrapped SOL. */
export const wrappedCoinAccount = shown(165, {
  0: ["BpuIV/6rgYT7aH9jRhjANdrEOdwa6ztVmKDwAAAAAAFIu8obxSchzt+Wm0fpE5FjWTep9c3QcJ4/b5fYCibP0BIWLQU="],
  108: ["AQEAAADwHR8="],
});

/** BERN's mint: Token-2022 with a transfer fee of 4.2 % at first and 2.69 % from epoch 698. */
export const bernMint = shown(278, {
  0: [
    "AAAAAF6FlBDp84quKJTnIC3eZq7d8SbOoKlPCfCAsA30E9mWuDXjWFJWAAAFAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==",
  ],
  165: [
    "AQEAbABehZQQ6fOKriiU5yAt3mau3fEmzqCpTwnwgLAN9BPZll6FlBDp84quKJTnIC3eZq7d8SbOoKlPCfCAsA30E9mWCxxYXAQA",
    "AABwAgAAAAAAAACg3sWtyTU2pAG6AgAAAAAAAACg3sWtyTU2DQE=",
  ],
});
