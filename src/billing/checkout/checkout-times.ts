/**
 * How long a page can be paid: the provider's maximum of 24 h from its own time, less five minutes because
 * clocks differ.
 */
export const PAYABLE_FOR_SECONDS = 24 * 60 * 60 - 300
/** How long the same page is handed out: nearly an hour less, so that it can still be paid. */
export const OPEN_FOR_SECONDS = 23 * 60 * 60
