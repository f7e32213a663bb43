export type KmsErrorName =
  | "AccessDeniedException"
  | "DisabledException"
  | "IncorrectKeyException"
  | "InvalidCiphertextException"
  | "InvalidKeyUsageException"
  | "KMSInvalidMacException"
  | "LimitExceededException"
  | "NotFoundException"
  | "UnknownOperationException"
  | "UnsupportedOperationException"
  | "ValidationException";

/** A failure that KMS answers with status 400 and this name. It has no message if a ciphertext or MAC is wrong. */
export class KmsError extends Error {
  override readonly name: KmsErrorName;

  constructor(name: KmsErrorName, message?: string) {
    super(message);
    this.name = name;
  }
}
