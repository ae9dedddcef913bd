/** Room for every body we accept, and little more (OWASP REST: limit the request size). */
export const MAX_BODY_BYTES = 16 * 1024
/** Up to here a body is read all the same, to tell one that is no JSON at all (400) from one that is too large (413). */
export const MAX_READ_BODY_BYTES = 2 * MAX_BODY_BYTES
/** Stripe's events carry whole objects. */
export const MAX_WEBHOOK_BODY_BYTES = 1024 * 1024
/** Ours have one level, Stripe's events about ten. */
export const MAX_JSON_DEPTH = 32
/** Node's own default, stated so that it stays: more is answered 431. */
export const MAX_HEADER_BYTES = 16 * 1024
/** Longer than any URL we hand out; more is answered 414. */
export const MAX_URL_LENGTH = 8 * 1024
/** Slowloris: headers must be there after this, the whole request after the next; checked every interval. */
export const HEADERS_TIMEOUT_MS = 10_000
export const REQUEST_TIMEOUT_MS = 15_000
export const CONNECTIONS_CHECK_MS = 1_000
/** Longer than the idle timeout of the usual load balancers (60 s), so that they close first. */
export const KEEP_ALIVE_MS = 65_000
