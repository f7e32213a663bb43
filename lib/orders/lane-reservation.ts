const reservationOf = "order ";

/**
 * Holder of a new lane that waits for the first run of this order. No run has such an id, so nobody takes a lane from a
 * run by naming the run.
 */
export const waitingFor = (orderId: string): string => `${reservationOf}${orderId}`;

/** True if a lane's holder is no run, but a reservation for the first one. */
export const isReservation = (holder: string): boolean => holder.startsWith(reservationOf);
