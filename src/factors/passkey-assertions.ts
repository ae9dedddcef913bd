import { Injectable } from '@nestjs/common'
import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import { auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { ApiError } from '../platform/errors/api-error.js'
import type { Client } from '../platform/http/request.js'
import { type AuthMethods, authMethods } from '../tokens/access-tokens.js'
import {
  type OwnedPasskey,
  type Passkey,
  PasskeySites,
  type PasskeyState,
  Passkeys,
  userHandleOf,
} from './passkeys.js'
import { clientDataOf, PasskeyChallenges, webauthn } from './webauthn.js'

/** What a passkey of ours has signed. */
export interface CheckedAssertion {
  readonly userId: string
  /** What it proves. */
  readonly methods: AuthMethods
  readonly passkey: OwnedPasskey
  readonly challenge: { readonly text: string; readonly expiresAt: Date }
  readonly state: PasskeyState
}

interface AssertionContext {
  readonly client: Client
  /** Whose passkey it has to be; left out when any user may log in. */
  readonly userId?: string
}

const FOR_ASSERTION = { for: 'assertion' } as const

/** Checks what authenticators have signed to log a user in, or to prove again who they are. */
@Injectable()
export class PasskeyAssertions {
  constructor(
    private readonly passkeys: Passkeys,
    private readonly challenges: PasskeyChallenges,
    private readonly sites: PasskeySites,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * The passkey that has signed one of our challenges; nothing is stored yet. Throws `PASSKEY_INVALID` for
   * anything wrong: the challenge, the page, the user, the signature. The caller counts the guess, and checks
   * whether the user may log in.
   */
  async check(response: AuthenticationResponseJSON, context: AssertionContext): Promise<CheckedAssertion> {
    const challenge = clientDataOf(response.response.clientDataJSON)?.challenge ?? ''
    const expiresAt = this.challenges.expiryOf(challenge, FOR_ASSERTION)
    const origin = this.sites.originOf(context.client.origin)
    if (!expiresAt || origin === null) throw new ApiError('PASSKEY_INVALID')
    const { rpId } = this.sites
    const expected = { passkey: await this.passkeyOf(response, context), challenge, origin, rpId }
    const { passkey, state } = await checkSignature(response, expected)
    const key = passkey.isBackupEligible ? 'swk' : 'hwk'
    return {
      userId: passkey.userId,
      methods: authMethods(key, 'user'),
      passkey,
      challenge: { text: challenge, expiresAt },
      state,
    }
  }

  /** Uses the challenge up, in the transaction of what it allows. Throws `PASSKEY_INVALID` also for a passkey that has just been removed. */
  async use(transaction: Db, { passkey, challenge, state }: CheckedAssertion, client: Client): Promise<void> {
    const isFirst = await this.challenges.use(transaction, challenge.text, challenge.expiresAt)
    const before = isFirst ? await this.passkeys.markUsed(transaction, passkey, state) : null
    if (!before) throw new ApiError('PASSKEY_INVALID')
    if (!isBehind(state.counter, before.counter)) return
    const { userId, accountId, id: passkeyId } = passkey
    const detail = { passkeyId, counter: state.counter, before: before.counter }
    await this.auditLog.record(
      transaction,
      auditEvent({ userId, accountId, client }, 'passkey.counter', detail),
    )
  }

  /**
   * Null for one that is unknown or not meant. Where any user may log in, only the user handle says whom the
   * authenticator means.
   */
  private async passkeyOf(
    { id, response: { userHandle } }: AuthenticationResponseJSON,
    { userId }: AssertionContext,
  ): Promise<OwnedPasskey | null> {
    const passkey = await this.database.run(db => this.passkeys.findByCredential(db, id))
    const isTheirs = passkey !== null && (userId ?? passkey.userId) === passkey.userId
    const handle = userHandle ?? (userId && userHandleOf(userId))
    return isTheirs && handle === userHandleOf(passkey.userId) ? passkey : null
  }
}

/** A copied authenticator would go on counting from where it was copied. Most synced ones do not count. */
function isBehind(counter: number, before: number): boolean {
  return (counter > 0 || before > 0) && counter <= before
}

type SigningPasskey = Pick<Passkey, 'credentialId' | 'publicKey' | 'isBackupEligible'>

/** What an assertion must be signed with, and what it must be about. */
interface ExpectedAssertion<P extends SigningPasskey> {
  /** Null when no user has it. */
  readonly passkey: P | null
  readonly challenge: string
  /** Of the page. */
  readonly origin: string
  readonly rpId: string
}

/** What was signed, and what the authenticator says about itself. */
interface CheckedSignature<P> {
  readonly passkey: P
  readonly state: PasskeyState
}

/**
 * Checked in place of the passkey that is missing, so that timing does not reveal which credentials are known. ES256,
 * as nearly all of them are.
 */
const DUMMY_PASSKEY: SigningPasskey = {
  credentialId: '',
  publicKey:
    'pQECAyYgASFYIM4QwdTbQGiwtCXelk3T_iSjSz0apzNjtpSrHDAlxnv2IlggWJtQ9wWJd7BdyOQGDC4602tCTAmLVoxLTXU-6J9asbY',
  isBackupEligible: false,
}

/** Throws `PASSKEY_INVALID` for anything wrong in the response and, after the same work, when there is no passkey. */
export async function checkSignature<P extends SigningPasskey>(
  response: AuthenticationResponseJSON,
  { passkey, challenge, origin, rpId }: ExpectedAssertion<P>,
): Promise<CheckedSignature<P>> {
  const { credentialId, publicKey, isBackupEligible } = passkey ?? DUMMY_PASSKEY
  const { verifyAuthenticationResponse } = await webauthn()
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
    credential: {
      id: credentialId,
      publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')),
      // The library refuses a counter that goes back; with 0 it never does, and the caller may report it.
      counter: 0,
    },
  }).catch(asRefusal)
  const isEligible = authenticationInfo.credentialDeviceType === 'multiDevice'
  // That never changes for a credential (WebAuthn §7.2, step 19).
  if (!passkey || !verified || isEligible !== isBackupEligible) throw new ApiError('PASSKEY_INVALID')
  const { newCounter, credentialBackedUp } = authenticationInfo
  return { passkey, state: { counter: newCounter, isBackedUp: credentialBackedUp } }
}

/** The library throws plain errors for anything wrong in a response. */
function asRefusal(cause: unknown): never {
  throw new ApiError('PASSKEY_INVALID', { cause })
}
