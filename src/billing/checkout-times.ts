/** How long a page can be paid. The provider's longest is 24 h from its own now; five minutes are for clocks that differ. */
export const PAYABLE_FOR_SECONDS = 24 * 60 * 60 - 300
/** So long it is handed out again: nearly an hour less, so that it can still be paid then. */
export const OPEN_FOR_SECONDS = 23 * 60 * 60
