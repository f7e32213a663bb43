/**
 * What API Gateway allows a connection, see "Quotas for configuring and running a WebSocket API". Its limit of 32 KB for
 * a single frame is not emulated, since `ws` tells of messages only: a client must split what is larger by itself.
 */
export type StreamLimits = {
  /** Bytes of a message, in either direction. A client that sends more is closed with 1009. */
  messageBytes: number;
  /** A connection without a message in either direction is closed after that time. Pings are no messages. */
  idleMs: number;
  /** Nothing keeps a connection longer. */
  durationMs: number;
  /** Bytes that may wait for a client that does not read. AWS does not tell its own number. */
  bufferBytes: number;
};

export const awsLimits: StreamLimits = {
  messageBytes: 128 * 1024,
  idleMs: 10 * 60_000,
  durationMs: 2 * 60 * 60_000,
  bufferBytes: 1024 * 1024,
};
