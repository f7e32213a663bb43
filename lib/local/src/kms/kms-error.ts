export type KmsErrorName =
  | "AccessDeniedException"
  | "IncorrectKeyException"
  | "InvalidCiphertextException"
  | "LimitExceededException"
  | "NotFoundException"
  | "UnknownOperationException"
  | "ValidationException";

/** A failure that KMS answers with status 400 and this name. For a ciphertext that it cannot open, it has no message. */
export class KmsError extends Error {
  override readonly name: KmsErrorName;

  constructor(name: KmsErrorName, message?: string) {
    super(message);
    this.name = name;
  }
}
