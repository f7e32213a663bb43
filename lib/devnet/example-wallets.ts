/** Anvil's first account. It has coins on each local EVM chain, and its private key is public. */
export const exampleWallet = {
  address: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
  privateKey: "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
};

/** Account with coins on the local Solana chain. Its private key is public. */
export const exampleSolWallet = {
  address: "9uKPBoBGkfeVQXFnXcqtPksx3FmLxoDEsu2FskRovQWJ",
  privateKey: "smPz9ixyico8hLHPyivmSCMxFMQtrks8wAXS2oGwiXKsw24nLcUM9EKxzaEU1cjQTsxxkXGU81rfTYdKZjkqEiz",
};
