import { randomBytes } from 'node:crypto'
import { proofHostOf } from '../../cors/satellite-origin.js'

/** 256 bits, 43 characters of base64url. */
const TOKEN_BYTES = 32

/** What the owner of a host must publish, in one of two places. */
export interface ProofChallenge {
  readonly dns: { readonly name: string; readonly value: string }
  /** Null for preview satellites, because they have many hosts. */
  readonly file: { readonly url: string; readonly content: string } | null
}

export function newProofToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url')
}

/**
 * Where the token must be found (draft-ietf-dnsop-domain-verification-techniques). The record stays there as
 * long as the satellite is used, because it is looked up again every day: so it has no expiry.
 */
export function proofChallenge(origin: string, token: string): ProofChallenge {
  const value = `token=${token} expiry=never`
  return {
    dns: { name: `_mainstay-challenge.${proofHostOf(origin)}`, value },
    file: origin.includes('*')
      ? null
      : { url: `${origin}/.well-known/mainstay-challenge.txt`, content: value },
  }
}

/** Some DNS providers keep the quotes that were pasted with a value, or escape them. */
const QUOTES = /^[\\"'“”„]+|[\\"'“”„]+$/g

/** Whether one of the texts found contains the token. */
export function hasToken(texts: readonly string[], token: string): boolean {
  const words = texts.flatMap(text => text.split(/\s+/))
  return words.some(word => word.replace(QUOTES, '') === `token=${token}`)
}
