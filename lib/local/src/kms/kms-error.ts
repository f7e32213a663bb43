export type KmsErrorName =
  | "IncorrectKeyException"
  | "InvalidCiphertextException"
  | "LimitExceededException"
  | "NotFoundException"
  | "UnknownOperationException"
  | "ValidationException";

/** A failure that KMS answers with status 400 and its name. KMS gives no message for a ciphertext it cannot open. */
export class KmsError extends Error {
  override readonly name: KmsErrorName;

  constructor(name: KmsErrorName, message?: string) {
    super(message);
    this.name = name;
  }
}
