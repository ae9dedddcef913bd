/** 32 bytes as base64url without padding: what our random tokens are, and their SHA-256 hashes. */
export const BASE64URL_OF_32_BYTES = /^[A-Za-z0-9_-]{43}$/
