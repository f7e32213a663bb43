export {
  type ExportAnswer,
  type ExportedWallet,
  type ExportState,
  newExportKeys,
  type WalletExporter,
  walletExporter,
} from "./wallet-export.ts";
