export {
  type ExportAnswer,
  type ExportedWallet,
  type ExportState,
  newExportKeys,
  type WalletExporter,
  walletExporter,
} from "./wallet-export.ts";
export { type ImportAnswer, importSealed, type SealedImport } from "./wallet-import.ts";
