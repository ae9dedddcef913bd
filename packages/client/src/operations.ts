/* Written by npm run openapi from docs/openapi.json. */
export interface Operations {
  readonly get: {
    /** Where the public keys are (RFC 8414) */
    readonly '/.well-known/oauth-authorization-server': {
      readonly answer: MetadataAnswer
    }
    /** Where the public keys are (OpenID Connect Discovery) */
    readonly '/.well-known/openid-configuration': {
      readonly answer: MetadataAnswer
    }
    /** The public keys of access tokens */
    readonly '/.well-known/jwks.json': {
      readonly answer: JwksAnswer
    }
    /** Who is calling, and what they may do */
    readonly '/api/data': {
      readonly answer: DataAnswer
    }
    /** List your live sessions by site */
    readonly '/api/sessions': {
      readonly answer: SessionsAnswer
    }
    /** Other origins where the same passkeys work */
    readonly '/.well-known/webauthn': {
      readonly answer: RelatedOriginsAnswer
    }
    /** Get a satellite to which the caller can be handed off */
    readonly '/api/handoff': {
      readonly query: {
        /** The origin of the satellite */
        readonly satellite: string
      }
      readonly answer: HandoffDestinationAnswer
    }
    /** Whether an origin is that of an active satellite */
    readonly '/api/handoff/satellite': {
      readonly query: {
        readonly origin: string
      }
      readonly answer: OriginAnswer
    }
    /** How to re-authenticate */
    readonly '/api/reauthenticate': {
      readonly answer: ReauthenticationMethodsAnswer
    }
    /** List your login methods */
    readonly '/api/second-factor': {
      readonly answer: SecondFactorAnswer
    }
    /** List the browsers that are not asked for a second factor */
    readonly '/api/remembered-devices': {
      readonly answer: RememberedDevicesAnswer
    }
    /** List your passkeys */
    readonly '/api/passkeys': {
      readonly answer: PasskeysAnswer
    }
    /** Get the second-factor policy */
    readonly '/api/account/second-factor': {
      readonly answer: PolicyAnswer
    }
    /** List the satellites of the account */
    readonly '/api/satellites': {
      readonly answer: SatellitesAnswer
    }
    /** Get one satellite */
    readonly '/api/satellites/{id}': {
      readonly path: {
        readonly id: string
      }
      readonly answer: SatelliteAnswer
    }
    /** The open invitations of the account */
    readonly '/api/team/invitations': {
      readonly answer: InvitationsAnswer
    }
    /** List the satellites that members can be given access to */
    readonly '/api/team/satellites': {
      readonly answer: TeamSatellitesAnswer
    }
    /** List the members of the account */
    readonly '/api/team': {
      readonly query?: {
        readonly limit?: number
        /** By when they joined, by name (or e-mail address, without one) or by their last login (those who never logged in come first) */
        readonly sort?: 'joined' | '-joined' | 'name' | '-name' | 'lastLogin' | '-lastLogin'
        /** `next` of the previous page */
        readonly after?: string
        /** Only those whose name or e-mail address contains this, in upper or lower case */
        readonly q?: string
        /** Only those with this role */
        readonly role?: 'owner' | 'member'
        /** Only those who have been granted this permission */
        readonly permission?: 'payments' | 'accountSettings' | 'teamManagement' | 'dataEntry' | 'viewReports'
        /** Only those with, or without, a second factor */
        readonly hasSecondFactor?: boolean
        /** Only those who are, or are not, disabled */
        readonly isDisabled?: boolean
      }
      readonly answer: TeamAnswer
    }
    /** Get one member of the account */
    readonly '/api/team/{userId}': {
      readonly path: {
        readonly userId: string
      }
      readonly answer: TeamMemberAnswer
    }
    /** List the live sessions of a member by site */
    readonly '/api/team/{userId}/sessions': {
      readonly path: {
        readonly userId: string
      }
      readonly answer: MemberSessionsAnswer
    }
    /** The account's subscription */
    readonly '/api/subscription': {
      readonly query?: {
        /** The `checkout` parameter that the browser came back with, or the provider's id of the checkout */
        readonly checkout?: string
        /** The `portal` parameter that the browser came back with */
        readonly portal?: 'closed'
      }
      readonly answer: SubscriptionAnswer
    }
    /** The newest invoices of the account */
    readonly '/api/invoices': {
      readonly answer: InvoicesAnswer
    }
    /** List the plans on sale */
    readonly '/api/plans': {
      readonly answer: PlansAnswer
    }
    /** Get your profile */
    readonly '/api/profile': {
      readonly answer: ProfileAnswer
    }
    /** Export all of your data */
    readonly '/api/profile/export': {
      readonly answer: Readonly<Record<string, unknown>>
    }
    /** The account */
    readonly '/api/account': {
      readonly answer: AccountAnswer
    }
    /** The account's audit log */
    readonly '/api/audit': {
      readonly query?: {
        /** Only entries that concern this user */
        readonly user?: string
        /** Only entries that concern, or are by, users whose name or e-mail address contains this, in upper or lower case */
        readonly q?: string
        readonly action?: AuditEntry['action']
        readonly outcome?: AuditEntry['outcome']
        /** Not before this time */
        readonly from?: string
        /** Before this time */
        readonly to?: string
        readonly limit?: number
        /** `next` of the previous page */
        readonly after?: string
      }
      readonly answer: AuditPage
    }
    /** Export the account's audit log */
    readonly '/api/audit/export': {
      readonly query?: {
        /** Only entries that concern this user */
        readonly user?: string
        /** Only entries that concern, or are by, users whose name or e-mail address contains this, in upper or lower case */
        readonly q?: string
        readonly action?: AuditEntry['action']
        readonly outcome?: AuditEntry['outcome']
        /** Not before this time */
        readonly from?: string
        /** Before this time */
        readonly to?: string
        /** `ocsf`: events of the Open Cybersecurity Schema Framework 1.3.0 */
        readonly format?: 'jsonl' | 'ocsf'
      }
      readonly answer: Response
    }
    /** Get your login history */
    readonly '/api/logins': {
      readonly query?: {
        readonly limit?: number
        /** `next` of the previous page */
        readonly after?: string
      }
      readonly answer: LoginPage
    }
    /** Is the process alive? */
    readonly '/health/live': {
      readonly answer: HealthAnswer
    }
    /** May requests be sent here? */
    readonly '/health/ready': {
      readonly answer: HealthAnswer
    }
    /** Which parts are up? */
    readonly '/health/status': {
      readonly answer: StatusAnswer
    }
    /** How the site of a login form looks */
    readonly '/api/site': {
      readonly answer: SiteAnswer
    }
  }
  readonly delete: {
    /** End all of your other sessions */
    readonly '/api/sessions': {
      readonly answer: EndedAnswer
    }
    /** End one of your sessions */
    readonly '/api/sessions/{sid}': {
      readonly path: {
        /** As listed */
        readonly sid: string
      }
      readonly answer: null
    }
    /** Remove the authenticator app */
    readonly '/api/second-factor/totp': {
      readonly answer: null
    }
    /** Ask every browser for a second factor again */
    readonly '/api/remembered-devices': {
      readonly answer: null
    }
    /** Ask a browser for a second factor again */
    readonly '/api/remembered-devices/{id}': {
      readonly path: {
        readonly id: string
      }
      readonly answer: null
    }
    /** Remove a passkey */
    readonly '/api/passkeys/{id}': {
      readonly path: {
        readonly id: string
      }
      readonly answer: PasskeyRemovedAnswer
    }
    /** Remove your password */
    readonly '/api/password': {
      readonly answer: null
    }
    /** Remove a satellite */
    readonly '/api/satellites/{id}': {
      readonly path: {
        readonly id: string
      }
      readonly answer: null
    }
    /** Withdraw an invitation */
    readonly '/api/team/invitations/{id}': {
      readonly path: {
        readonly id: string
      }
      readonly answer: null
    }
    /** Remove a member */
    readonly '/api/team/{userId}': {
      readonly path: {
        readonly userId: string
      }
      readonly answer: null
    }
    /** End all sessions of a member */
    readonly '/api/team/{userId}/sessions': {
      readonly path: {
        readonly userId: string
      }
      readonly answer: EndedMemberSessionsAnswer
    }
    /** End one session of a member */
    readonly '/api/team/{userId}/sessions/{sid}': {
      readonly path: {
        readonly userId: string
        readonly sid: string
      }
      readonly answer: null
    }
    /** Cancel a reset of a member's second factors */
    readonly '/api/team/{userId}/second-factor/reset': {
      readonly path: {
        readonly userId: string
      }
      readonly answer: null
    }
    /** Cancel the deletion of the account */
    readonly '/api/account/deletion': {
      readonly answer: null
    }
    /** Cancel the pending transfer */
    readonly '/api/account/transfer': {
      readonly answer: null
    }
  }
  readonly post: {
    /** Log in with e-mail and password */
    readonly '/api/login': {
      readonly body: LoginBody
      readonly answer: LoginAnswer
    }
    /** Log out */
    readonly '/api/logout': {
      readonly query?: {
        /** On the main site: whether the satellite sessions that were handed off from this one end too, or only this one (`here`) */
        readonly scope?: 'browser' | 'here'
      }
      readonly answer: null
    }
    /** Log in: the second step */
    readonly '/api/login/second-factor': {
      readonly body: SecondFactorBody
      readonly answer: LoginAnswer
    }
    /** Get the options for navigator.credentials.get() */
    readonly '/api/login/passkey/options': {
      readonly answer: PasskeyOptionsAnswer
    }
    /** Log in with a passkey */
    readonly '/api/login/passkey': {
      readonly body: PasskeyLoginBody
      readonly answer: LoginAnswer
    }
    /** Hand the login off to a satellite */
    readonly '/api/handoff/codes': {
      readonly body: HandoffBody
      readonly answer: HandoffAnswer
    }
    /** Log in on a satellite with a code from the main site */
    readonly '/api/handoff/redeem': {
      readonly body: RedeemBody
      readonly answer: LoginAnswer
    }
    /** Report a login that was not yours */
    readonly '/api/sessions/not-me': {
      readonly body: MailedLinkBody
      readonly answer: null
    }
    /** Request a link to choose a new password */
    readonly '/api/password/forgot': {
      readonly body: PasswordForgotBody
      readonly answer: null
    }
    /** Choose a new password with a mailed link */
    readonly '/api/password/reset': {
      readonly body: PasswordResetBody
      readonly answer: PasswordResetAnswer
    }
    /** Change your password */
    readonly '/api/password/change': {
      readonly body: PasswordChangeBody
      readonly answer: null
    }
    /** Re-authenticate */
    readonly '/api/reauthenticate': {
      readonly body: ReauthenticateBody
      readonly answer: ReauthenticationAnswer
    }
    /** Get a new access token */
    readonly '/api/refresh': {
      readonly query?: {
        /** A request that names no session is answered 204 instead of 401: browsers log every 401 as an error */
        readonly optional?: 'true'
      }
      readonly answer: RefreshAnswer | null
    }
    /** Request a secret for an authenticator app */
    readonly '/api/second-factor/totp': {
      readonly answer: TotpSecretAnswer
    }
    /** Confirm the authenticator app by a code */
    readonly '/api/second-factor/totp/confirm': {
      readonly body: TotpCodeBody
      readonly answer: NewRecoveryCodesAnswer
    }
    /** Make new recovery codes */
    readonly '/api/second-factor/recovery-codes': {
      readonly answer: RecoveryCodesAnswer
    }
    /** Add a passkey */
    readonly '/api/passkeys': {
      readonly body: NewPasskeyBody
      readonly answer: PasskeyAddedAnswer
    }
    /** Get the options for navigator.credentials.create() */
    readonly '/api/passkeys/options': {
      readonly answer: CreationOptionsAnswer
    }
    /** Add a satellite */
    readonly '/api/satellites': {
      readonly body: SatelliteBody
      readonly answer: SatelliteAnswer
    }
    /** Prove a satellite */
    readonly '/api/satellites/{id}/verify': {
      readonly path: {
        readonly id: string
      }
      readonly answer: SatelliteAnswer
    }
    /** Suspend a satellite */
    readonly '/api/satellites/{id}/suspend': {
      readonly path: {
        readonly id: string
      }
      readonly answer: null
    }
    /** Resume a satellite */
    readonly '/api/satellites/{id}/resume': {
      readonly path: {
        readonly id: string
      }
      readonly answer: SatelliteAnswer
    }
    /** Invite a user by e-mail */
    readonly '/api/team/invitations': {
      readonly body: InvitationBody
      readonly answer: InvitedAnswer
    }
    /** Send an open invitation again */
    readonly '/api/team/invitations/{id}/resend': {
      readonly path: {
        readonly id: string
      }
      readonly answer: InvitedAnswer
    }
    /** Join a team with a mailed link */
    readonly '/api/invitations/accept': {
      readonly body: AcceptInvitationBody
      readonly answer: AcceptedAnswer
    }
    /** Disable a member */
    readonly '/api/team/{userId}/disable': {
      readonly path: {
        readonly userId: string
      }
      readonly answer: null
    }
    /** Enable a disabled member */
    readonly '/api/team/{userId}/enable': {
      readonly path: {
        readonly userId: string
      }
      readonly answer: null
    }
    /** Reset a member's second factors, after 24 hours */
    readonly '/api/team/{userId}/second-factor/reset': {
      readonly path: {
        readonly userId: string
      }
      readonly query?: {
        /** Only mails a new link to the pending reset: `NOT_FOUND` when none is pending any more */
        readonly only?: 'pending'
      }
      readonly answer: FactorResetAnswer
    }
    /** Reset the second factors now */
    readonly '/api/second-factor-reset/confirm': {
      readonly body: MailedLinkBody
      readonly answer: null
    }
    /** Stop a reset of the second factors */
    readonly '/api/second-factor-reset/stop': {
      readonly body: MailedLinkBody
      readonly answer: null
    }
    /** Start a hosted checkout */
    readonly '/api/subscription/create': {
      readonly body: CreateSubscriptionBody
      readonly answer: CheckoutAnswer
    }
    /** Open the billing portal */
    readonly '/api/subscription/portal': {
      readonly body: PortalBody
      readonly answer: PortalAnswer
    }
    /** Events of the payment provider */
    readonly '/api/webhooks/stripe': {
      readonly answer: WebhookAnswer
    }
    /** Sign up */
    readonly '/api/signup': {
      readonly body: SignUpBody
      readonly answer: null
    }
    /** Confirm the e-mail address of a sign-up */
    readonly '/api/signup/verify': {
      readonly body: VerifySignUpBody
      readonly answer: SignedUpAnswer
    }
    /** Request another e-mail address */
    readonly '/api/email/change': {
      readonly body: EmailChangeBody
      readonly answer: null
    }
    /** Confirm the new e-mail address */
    readonly '/api/email/confirm': {
      readonly body: ConfirmEmailBody
      readonly answer: null
    }
    /** Undo a change of the e-mail address */
    readonly '/api/email/undo': {
      readonly body: MailedLinkBody
      readonly answer: null
    }
    /** Delete the account, after a grace period */
    readonly '/api/account/deletion': {
      readonly answer: DeletionAnswer
    }
    /** Ask a member to become the owner */
    readonly '/api/account/transfer': {
      readonly body: TransferBody
      readonly answer: TransferAnswer
    }
    /** Accept ownership */
    readonly '/api/account/transfer/accept': {
      readonly body: MailedLinkBody
      readonly answer: TransferAnswer
    }
    /** Stop a transfer with a mailed link */
    readonly '/api/account/transfer/stop': {
      readonly body: MailedLinkBody
      readonly answer: null
    }
    /** What a mailed link is about */
    readonly '/api/mailed-links/preview': {
      readonly body: MailedLinkBody
      readonly answer: MailedLinkAnswer
    }
  }
  readonly patch: {
    /** Rename a passkey */
    readonly '/api/passkeys/{id}': {
      readonly path: {
        readonly id: string
      }
      readonly body: PasskeyNameBody
      readonly answer: PasskeyAnswer
    }
    /** Change a satellite */
    readonly '/api/satellites/{id}': {
      readonly path: {
        readonly id: string
      }
      readonly body: SatelliteChangeBody
      readonly answer: SatelliteAnswer
    }
    /** Change your name, or the language of your mails */
    readonly '/api/profile': {
      readonly body: ProfileBody
      readonly answer: ProfileAnswer
    }
    /** Change the account's name, its logins on satellites or its idle timeout */
    readonly '/api/account': {
      readonly body: AccountBody
      readonly answer: AccountAnswer
    }
  }
  readonly put: {
    /** Require second factors */
    readonly '/api/account/second-factor': {
      readonly body: PolicyBody
      readonly answer: PolicyAnswer
    }
    /** Change a member's permissions */
    readonly '/api/team/{userId}/permissions': {
      readonly path: {
        readonly userId: string
      }
      readonly body: PermissionChangesBody
      readonly answer: null
    }
    /** Change where a member may log in */
    readonly '/api/team/{userId}/satellites': {
      readonly path: {
        readonly userId: string
      }
      readonly body: SatelliteChangesBody
      readonly answer: null
    }
  }
}
export interface AccentAnswer {
  readonly color: string
  /** Text on a button in that colour */
  readonly ink: string
}
export interface AccentsAnswer {
  readonly light: AccentAnswer
  readonly dark: AccentAnswer
}
export interface AcceptInvitationBody {
  /** From behind `#token=` in the link */
  readonly token: string
  /** As at `POST /api/login` */
  readonly deviceId?: string | null
  readonly password: string
  readonly name?: string
}
export interface AcceptedAnswer {
  /** As from `POST /api/login` */
  readonly accessToken?: string
  /** Satellites and mobile apps only */
  readonly sessionId?: string
  /** As from `POST /api/login` */
  readonly deviceId?: string
  /** Instead of a token: what `POST /api/login` would refuse this user with */
  readonly code?: string
  /** With `SECOND_FACTOR_REQUIRED`, for `POST /api/login/second-factor` */
  readonly challenge?: string
  /** With `SECOND_FACTOR_REQUIRED`: what the user can use here */
  readonly methods?: readonly ('totp' | 'passkey' | 'recovery')[]
  readonly userId: string
  /** Origins to log in at */
  readonly satellites: readonly string[] | null
}
export interface AccountAnswer {
  readonly accountId: string
  readonly name: string | null
  /** Who logs in on satellites through the main site only: a password typed there is refused with `HANDOFF_REQUIRED` */
  readonly handoffRequired: 'none' | 'owners' | 'everyone'
  readonly idleSeconds: number | null
  readonly createdAt: string
  /** How long a deletion that is asked for now would wait */
  readonly deletionGraceSeconds: number
  /** How long a transfer that is asked for now would wait */
  readonly transferWaitSeconds: number
  /** Null while no deletion has been requested */
  readonly deleteAt: string | null
  /** The pending transfer */
  readonly transfer: PendingTransferAnswer | null
}
export interface AccountBody {
  readonly name?: string
  /** Who logs in on satellites through the main site only: a password typed there is refused with `HANDOFF_REQUIRED` */
  readonly handoffRequired?: 'none' | 'owners' | 'everyone'
  /** Idle timeout: after how long without a refresh sessions of its users are over, on the main site, satellites and in apps */
  readonly idleSeconds?: number | null
}
export interface AuditEntry {
  readonly id: number
  readonly at: string
  readonly action: 'login' | 'logout' | 'refresh' | 'handoff.code' | 'handoff.redeem' | 'handoff.replay' | 'reauthenticate' | 'session.revoke' | 'session.anomaly' | 'account.create' | 'account.change' | 'account.delete' | 'account.delete.cancel' | 'account.transfer' | 'signup' | 'email.verify' | 'email.change' | 'email.undo' | 'password.forgot' | 'password.reset' | 'password.change' | 'password.remove' | 'factor.add' | 'factor.change' | 'factor.remove' | 'factors.reset' | 'recovery-codes.create' | 'recovery-code.use' | 'passkey.counter' | 'device.remember' | 'device.forget' | 'second-factor.policy' | 'profile.change' | 'person.export' | 'audit.export' | 'audit.expire' | 'invitation.create' | 'invitation.withdraw' | 'invitation.accept' | 'user.create' | 'user.import' | 'user.disable' | 'user.enable' | 'user.remove' | 'permissions.change' | 'satellites.change' | 'satellite.add' | 'satellite.change' | 'satellite.verify' | 'satellite.suspend' | 'satellite.resume' | 'satellite.move' | 'satellite.remove' | 'rate.limit' | 'mail' | 'mail.resend' | 'checkout.create' | 'webhook' | 'origin' | 'billing.adopt' | 'billing.forget' | 'billing.refuse' | 'billing.repair' | 'billing.portal' | 'billing.surplus.end' | 'entitlements.change' | 'billing.replay' | 'operator.view' | 'operator.add' | 'operator.disable' | 'operator.login' | 'operator.logout' | 'operator.passkey' | 'operator.search' | 'operator.list'
  readonly outcome: 'ok' | 'failed' | 'refused'
  readonly userId: string | null
  /** The user's current address, or the one at the time of removal */
  readonly email: string | null
  /** The public handle of the session */
  readonly sid: string | null
  readonly ip: string | null
  /** Roughly where the address is, in the caller's language */
  readonly place: string | null
  readonly userAgent: string | null
  /** Null for what was not a request */
  readonly device: string | null
  readonly origin: string | null
  readonly requestId: string | null
  readonly detail: Readonly<Record<string, unknown>>
}
export interface AuditPage {
  readonly entries: readonly AuditEntry[]
  /** E-mail addresses by user id, for every user named in the entries (`userId`, and `detail.by`) */
  readonly people: Readonly<Record<string, string>>
  /** Names by user id, of those in `people` who have one */
  readonly names: Readonly<Record<string, string>>
  /** For `after` */
  readonly next: string | null
}
export interface BrandingAnswer {
  readonly name: string
  readonly logoUrl: string | null
  readonly accent: string
  readonly background: string
}
export interface BrandingBody {
  readonly name: string
  readonly logoUrl: string | null
  /** Colour of buttons and links */
  readonly accent: string
  /** Background colour of the page */
  readonly background: string
}
export interface CeilingBody {
  readonly dataEntry: boolean
  readonly viewReports: boolean
}
export interface CheckoutAnswer {
  /** The payment provider's page */
  readonly checkoutUrl: string
}
export interface ConfirmEmailBody {
  /** From behind `#token=` in the link */
  readonly token: string
  /** The password of the account */
  readonly password?: string
}
export interface CreateSubscriptionBody {
  /** One of STRIPE_PRICE_IDS */
  readonly priceId?: string
  /** Where the browser goes afterwards */
  readonly return?: string
}
export interface CreationOptionsAnswer {
  readonly challenge: string
  readonly rp: Readonly<Record<string, string>>
  readonly user: Readonly<Record<string, string>>
}
export interface DataAnswer {
  readonly userId: string
  readonly accountId: string
  readonly permissions: {
    readonly payments?: boolean
    readonly accountSettings?: boolean
    readonly teamManagement?: boolean
    readonly dataEntry?: boolean
    readonly viewReports?: boolean
  }
}
export interface DeletionAnswer {
  readonly deleteAt: string
}
export interface DnsProof {
  readonly name: string
  /** The content of its TXT record */
  readonly value: string
}
export interface EmailChangeBody {
  /** The new address */
  readonly email: string
}
export interface EndedAnswer {
  /** How many were ended */
  readonly ended: number
}
export interface EndedMemberSessionsAnswer {
  /** How many were ended */
  readonly ended: number
}
export interface FactorResetAnswer {
  /** When it happens, unless it is stopped */
  readonly resetAt: string
}
export interface FileProof {
  readonly url: string
  readonly content: string
}
export interface HandoffAnswer {
  /** Where the browser goes now */
  readonly redirect: string
}
export interface HandoffBody {
  /** The origin of the satellite */
  readonly satellite: string
  /** base64url SHA-256 of the verifier that the page of the satellite keeps (RFC 7636, S256) */
  readonly challenge: string
  /** 32 random bytes as base64url, by which that page recognises the answer */
  readonly state: string
  /** The page of the satellite that takes the answer, as path and query */
  readonly path?: string
}
export interface HandoffDestinationAnswer {
  /** The origin from the request */
  readonly origin: string
  /** Its host, where the user is not invited */
  readonly name: string
  readonly branding: BrandingAnswer | null
  /** `access_denied`: people log in there with their password only */
  readonly access: 'allowed' | 'not_invited' | 'suspended' | 'access_denied'
  /** Whether the user has been logged in there in this way, and has not logged out since */
  readonly isKnown: boolean
  /** Who is logged in */
  readonly email: string
  /** Whatever the main site sends back to the satellite names this issuer (RFC 9207) */
  readonly iss: string
}
export interface HealthAnswer {
  readonly status: string
}
export interface InvitationAnswer {
  readonly id: string
  readonly email: string
  readonly expiresAt: string
  readonly permissions: PermissionsBody
  /** Origins */
  readonly satellites: readonly string[] | null
  /** userId */
  readonly invitedBy: string
  readonly createdAt: string
}
export interface InvitationBody {
  readonly email: string
  readonly permissions?: PermissionsBody
  /** Origins */
  readonly satellites?: readonly string[] | null
}
export interface InvitationsAnswer {
  /** Oldest first */
  readonly invitations: readonly InvitationAnswer[]
}
export interface InvitedAnswer {
  readonly id: string
  readonly email: string
  readonly expiresAt: string
}
export interface InvoiceAnswer {
  readonly id: string
  readonly number: string | null
  readonly createdAt: string
  /** In the currency's smallest unit */
  readonly amount: number
  /** ISO 4217, lower case */
  readonly currency: string
  /** `open`: to be paid */
  readonly status: 'open' | 'paid' | 'uncollectible' | 'void'
  /** The provider’s page to see and pay it */
  readonly url: string | null
  readonly pdfUrl: string | null
}
export interface InvoicesAnswer {
  /** Newest first, 24 at most */
  readonly invoices: readonly InvoiceAnswer[]
}
export interface JwksAnswer {
  readonly keys: readonly (Readonly<Record<string, string>>)[]
}
export interface LimitsAnswer {
  /** Satellites of the account */
  readonly satellites: number | null
  /** Active users, the owner included */
  readonly seats: number | null
}
export interface LoginAnswer {
  /** JWT, valid for 15 minutes by default */
  readonly accessToken: string
  /** Satellites and mobile apps only */
  readonly sessionId?: string
  /** For a client that sent null or an unknown id as `deviceId`: the id to keep and send from now on */
  readonly deviceId?: string
}
export interface LoginBody {
  readonly email: string
  readonly password: string
  /** The kind of site that logs in: it bounds what the session may do */
  readonly source: 'main' | 'satellite'
  /** Satellites and mobile apps: the device id of an earlier login, null when there is none yet */
  readonly deviceId?: string | null
}
export interface LoginEntry {
  readonly at: string
  readonly outcome: 'ok' | 'failed'
  readonly source: 'main' | 'satellite' | null
  readonly origin: string | null
  readonly ip: string | null
  readonly device: string
  /** The public handle of the session that it opened */
  readonly sid: string | null
}
export interface LoginPage {
  /** Whether these are all */
  readonly complete: boolean
  readonly logins: readonly LoginEntry[]
  /** For `after` */
  readonly next: string | null
}
export interface MailedLinkAnswer {
  /** The address that the link was mailed to */
  readonly email: string
  /** Of an invitation or a transfer */
  readonly accountName: string | null
  /** Of an invitation: who sent it */
  readonly invitedBy: string | null
  /** Of an invitation: origins to log in at, as far as they are proven */
  readonly satellites: readonly string[] | null
}
export interface MailedLinkBody {
  /** From behind `#token=` in the link */
  readonly token: string
}
export interface MainSiteAnswer {
  readonly name: string
  readonly logoUrl: string | null
  readonly url: string
}
export interface MemberSessionsAnswer {
  /** Most recently used first */
  readonly sites: readonly SiteSessionsAnswer[]
}
export interface MetadataAnswer {
  /** `iss` of every access token */
  readonly issuer: string
  readonly jwks_uri: string
  /** None: users log in on pages, not through OAuth */
  readonly response_types_supported: readonly string[]
  readonly id_token_signing_alg_values_supported: readonly string[]
}
export interface NewPasskeyBody {
  /** `PublicKeyCredential.toJSON()`: what credentials.create() gave, as JSON */
  readonly response: Readonly<Record<string, unknown>>
  readonly name?: string
}
export interface NewRecoveryCodesAnswer {
  /** Ten new ones, which are not shown again */
  readonly recoveryCodes: readonly string[] | null
}
export interface OriginAnswer {
  readonly origin: string
  /** Whatever the main site sends back to the satellite names this issuer (RFC 9207) */
  readonly iss: string
}
export interface PartAnswer {
  readonly state: 'up' | 'down'
  /** Since when it has been in this state */
  readonly since: string
}
export interface PartsAnswer {
  readonly database: PartAnswer
  readonly sessionStore: PartAnswer
}
export interface PasskeyAddedAnswer {
  readonly passkey: PasskeyAnswer
  /** Shown this once */
  readonly recoveryCodes: readonly string[] | null
}
export interface PasskeyAnswer {
  readonly id: string
  readonly name: string
  readonly createdAt: string
  readonly lastUsedAt: string | null
  /** Whether it may be on several devices */
  readonly isBackupEligible: boolean
  /** Whether it is on several devices, or in a cloud */
  readonly isBackedUp: boolean
  readonly transports: readonly string[]
}
export interface PasskeyLoginBody {
  /** The kind of site that logs in: it bounds what the session may do */
  readonly source: LoginBody['source']
  /** Satellites and mobile apps: the device id of an earlier login, null when there is none yet */
  readonly deviceId?: string | null
  /** `PublicKeyCredential.toJSON()`: what credentials.get() gave, as JSON */
  readonly response: Readonly<Record<string, unknown>>
}
export interface PasskeyNameBody {
  readonly name: string
}
export interface PasskeyOptionsAnswer {
  /** For one use, within 5 minutes */
  readonly challenge: string
  /** The domain that the passkeys belong to */
  readonly rpId: string
  /** In milliseconds */
  readonly timeout: number
  readonly userVerification: 'required'
  /** Empty: the authenticator shows which passkeys it has */
  readonly allowCredentials: readonly (Readonly<Record<string, unknown>>)[]
}
export interface PasskeyRemovedAnswer {
  readonly rpId: string
  readonly credentialId: string
  /** The user handle, base64url */
  readonly userId: string
  /** The credentials that the user still has */
  readonly remaining: readonly string[]
}
export interface PasskeysAnswer {
  readonly passkeys: readonly PasskeyAnswer[]
  /** The domain that they belong to */
  readonly rpId: string
}
export interface PasswordChangeBody {
  /** The new password */
  readonly password: string
  /** The password that the user has now */
  readonly currentPassword: string
}
export interface PasswordForgotBody {
  readonly email: string
}
export interface PasswordResetAnswer {
  /** As from `POST /api/login` */
  readonly accessToken?: string
  /** Satellites and mobile apps only */
  readonly sessionId?: string
  /** As from `POST /api/login` */
  readonly deviceId?: string
  /** Instead of a token: what `POST /api/login` would refuse this user with */
  readonly code?: string
  /** With `SECOND_FACTOR_REQUIRED`, for `POST /api/login/second-factor` */
  readonly challenge?: string
  /** With `SECOND_FACTOR_REQUIRED`: what the user can use here */
  readonly methods?: readonly ('totp' | 'passkey' | 'recovery')[]
  /** Origins of the satellites where the user may log in */
  readonly satellites: readonly string[] | null
}
export interface PasswordResetBody {
  /** From behind `#token=` in the link */
  readonly token: string
  /** As at `POST /api/login` */
  readonly deviceId?: string | null
  /** The new password */
  readonly password: string
}
export interface PendingTransferAnswer {
  /** The future owner */
  readonly userId: string
  readonly requestedAt: string
  /** The earliest time at which it is done */
  readonly readyAt: string
  /** It is cancelled if it has not been accepted by then */
  readonly expiresAt: string
  readonly acceptedAt: string | null
  readonly email: string
  readonly name: string | null
}
export interface PermissionChangesBody {
  readonly payments?: boolean
  readonly accountSettings?: boolean
  readonly teamManagement?: boolean
  readonly dataEntry?: boolean
  readonly viewReports?: boolean
}
export interface PermissionsBody {
  readonly payments: boolean
  readonly accountSettings: boolean
  readonly teamManagement: boolean
  readonly dataEntry: boolean
  readonly viewReports: boolean
}
export interface PlanAnswer {
  /** For `POST /api/subscription/create` */
  readonly priceId: string
  /** From the plans file, or else from the provider */
  readonly name: string
  /** What it is called in other languages, by their BCP 47 tags */
  readonly names: Readonly<Record<string, string>>
  /** What it offers: from the plans file, or else the marketing features of the product */
  readonly features: readonly string[]
  /** The features in other languages, by their BCP 47 tags */
  readonly translatedFeatures: Readonly<Record<string, readonly string[]>>
  /** For one period, or one seat of it, in the currency's smallest unit */
  readonly amount: number | null
  /** ISO 4217, lower case */
  readonly currency: string
  readonly interval: 'day' | 'week' | 'month' | 'year'
  /** How many of them a period has */
  readonly intervalCount: number
  /** Whether each active user is billed */
  readonly seats: boolean
  /** How many an account may have with it */
  readonly limits: LimitsAnswer
  /** How many days are free at first, for the caller's account */
  readonly trialDays: number
}
export interface PlansAnswer {
  readonly plans: readonly PlanAnswer[]
}
export interface PolicyAnswer {
  /** Who must have a second factor: those who may pay (`payments`) */
  readonly required: 'off' | 'payments' | 'managers' | 'everyone'
  /** From when on it counts */
  readonly requiredFrom: string | null
  /** How many minutes ago a second factor may have been used to spend money */
  readonly paymentStepUpMinutes: number | null
  /** How many enabled users it concerns */
  readonly covered: number
  /** How many of them have a second factor */
  readonly enrolled: number
}
export interface PolicyBody {
  /** Who must have a second factor: those who may pay (`payments`) */
  readonly required: PolicyAnswer['required']
  /** From now until it takes effect */
  readonly graceDays?: number
  /** How many minutes ago a second factor may have been used to spend money */
  readonly paymentStepUpMinutes: number | null
}
export interface PortalAnswer {
  /** The payment provider's page */
  readonly url: string
}
export interface PortalBody {
  /** Where the browser goes afterwards */
  readonly return?: string
}
export interface ProfileAnswer {
  readonly userId: string
  readonly accountId: string
  readonly email: string
  readonly name: string | null
  /** The language of the user's mails, as a BCP 47 tag */
  readonly language: string | null
  readonly role: 'owner' | 'member'
  /** What the user was granted */
  readonly granted: {
    readonly payments?: boolean
    readonly accountSettings?: boolean
    readonly teamManagement?: boolean
    readonly dataEntry?: boolean
    readonly viewReports?: boolean
  }
  /** Origins to log in at */
  readonly satellites: readonly string[] | null
  readonly createdAt: string
  /** Whether `POST /api/password/change` is possible in this session, on pages of this origin */
  readonly mayChangePassword: boolean
}
export interface ProfileBody {
  readonly name?: string
  /** The language of the user's mails, as a BCP 47 tag */
  readonly language?: 'en' | 'de'
}
export interface ProofAnswer {
  readonly dns: DnsProof
  /** Null for preview satellites */
  readonly file: FileProof | null
  /** Until when it counts for a pending satellite */
  readonly expiresAt: string
  /** When it was last found */
  readonly provenAt: string | null
  /** Where it was last found */
  readonly method: 'dns' | 'file' | 'operator' | null
  /** Since when the daily check has not found it */
  readonly failingSince: string | null
  /** When an active satellite is suspended if it stays missing */
  readonly suspendAt: string | null
}
export interface ReauthenticateBody {
  /** The password that the user has now */
  readonly password?: string
  /** Of the authenticator app */
  readonly code?: string
  /** Works once */
  readonly recoveryCode?: string
  /** `PublicKeyCredential.toJSON()`: what credentials.get() gave, as JSON */
  readonly passkey?: Readonly<Record<string, unknown>>
}
export interface ReauthenticationAnswer {
  /** When the re-authentication expires */
  readonly reauthenticatedUntil: string
}
export interface ReauthenticationMethodsAnswer {
  readonly methods: readonly ('password' | 'totp' | 'passkey' | 'recovery')[]
}
export interface RecoveryCodesAnswer {
  /** Ten, which are not shown again */
  readonly recoveryCodes: readonly string[]
}
export interface RedeemBody {
  /** `mainstay` from the query of the address, if it has one, and right after it `code` from the part after `#` */
  readonly code: string
  /** The verifier from which the challenge was computed */
  readonly verifier: string
  /** As for `POST /api/login` */
  readonly deviceId?: string | null
}
export interface RefreshAnswer {
  /** JWT, valid for 15 minutes by default */
  readonly accessToken: string
}
export interface RelatedOriginsAnswer {
  readonly origins: readonly string[]
}
export interface RememberedDeviceAnswer {
  readonly id: string
  /** As it identified itself */
  readonly name: string
  readonly createdAt: string
  /** The latest login without a second factor */
  readonly lastUsedAt: string
  /** When a second factor is asked for again */
  readonly expiresAt: string
  /** Whether it is the browser that asks */
  readonly isCurrent: boolean
}
export interface RememberedDevicesAnswer {
  /** The newest first */
  readonly devices: readonly RememberedDeviceAnswer[]
}
export interface SatelliteAnswer {
  readonly id: string
  readonly origin: string
  readonly name: string
  readonly kind: 'production' | 'preview'
  readonly state: 'pending' | 'active' | 'suspended'
  /** Who has suspended it: a user of the account, the daily check that did not find the proof, or an operator */
  readonly suspendedBy: 'account' | 'check' | 'operator' | null
  readonly ceiling: CeilingBody
  readonly loginMode: 'password' | 'handoff' | 'both'
  readonly secondFactor: 'handoff' | 'allowed'
  readonly sessionSeconds: number | null
  readonly idleSeconds: number | null
  readonly branding: BrandingBody | null
  readonly createdAt: string
  readonly proof: ProofAnswer
}
export interface SatelliteBody {
  /** As browsers send it */
  readonly origin: string
  readonly name: string
  readonly kind?: SatelliteAnswer['kind']
}
export interface SatelliteChangeBody {
  readonly name?: string
  /** The maximum permissions of its sessions */
  readonly ceiling?: CeilingBody
  readonly loginMode?: SatelliteAnswer['loginMode']
  /** Whether users may type their second factor on its pages */
  readonly secondFactor?: 'handoff' | 'allowed'
  /** How long sessions live that begin from now on */
  readonly sessionSeconds?: number | null
  /** Idle timeout: after how long without a refresh its sessions are over */
  readonly idleSeconds?: number | null
  readonly branding?: BrandingBody | null
}
export interface SatelliteChangesBody {
  /** Origins */
  readonly satellites?: readonly string[] | null
  /** Origins to log in at as well */
  readonly add?: readonly string[]
  /** Origins to log in at no longer */
  readonly remove?: readonly string[]
}
export interface SatellitesAnswer {
  /** Oldest first */
  readonly satellites: readonly SatelliteAnswer[]
}
export interface SecondFactorAnswer {
  /** The authenticator app */
  readonly totp: TotpAnswer | null
  /** How many */
  readonly passkeys: number
  /** Unused ones */
  readonly recoveryCodesLeft: number
  /** False for users who have given up their password */
  readonly hasPassword: boolean
  /** Whether the account requires a second factor of them */
  readonly required: boolean
  /** From when on */
  readonly requiredFrom: string | null
  /** Whether they can do nothing else before they have one */
  readonly mustEnrol: boolean
}
export interface SecondFactorBody {
  /** From the `SECOND_FACTOR_REQUIRED` refusal */
  readonly challenge: string
  /** Of the authenticator app */
  readonly code?: string
  /** Works once */
  readonly recoveryCode?: string
  /** `PublicKeyCredential.toJSON()`: what credentials.get() gave, as JSON */
  readonly passkey?: Readonly<Record<string, unknown>>
  /** Main site: do not ask this browser for a second factor for 30 days */
  readonly rememberDevice?: boolean
  /** As at `POST /api/login` */
  readonly deviceId?: string | null
}
export interface SessionAnswer {
  /** Its public handle, which cannot be used to log in */
  readonly sid: string
  /** Whether it is the caller's session */
  readonly current: boolean
  /** As its client identifies itself */
  readonly device: string
  /** Roughly where its address is */
  readonly place: string | null
  readonly ip: string
  readonly createdAt: string
  /** Its last refresh */
  readonly lastUsed: string
  /** When it ends */
  readonly expiresAt: string
  /** When it ends unless it is refreshed before */
  readonly idleAt: string | null
}
export interface SessionsAnswer {
  /** False on a satellite, which is shown its own sessions only */
  readonly complete: boolean
  /** Most recently used first */
  readonly sites: readonly SiteSessionsAnswer[]
}
export interface SignUpBody {
  readonly email: string
  readonly password: string
  readonly name?: string
}
export interface SignedUpAnswer {
  /** As from `POST /api/login` */
  readonly accessToken?: string
  /** Satellites and mobile apps only */
  readonly sessionId?: string
  /** As from `POST /api/login` */
  readonly deviceId?: string
  /** Instead of a token: what `POST /api/login` would refuse this user with */
  readonly code?: string
  /** With `SECOND_FACTOR_REQUIRED`, for `POST /api/login/second-factor` */
  readonly challenge?: string
  /** With `SECOND_FACTOR_REQUIRED`: what the user can use here */
  readonly methods?: readonly ('totp' | 'passkey' | 'recovery')[]
  readonly userId: string
}
export interface SiteAnswer {
  /** Of a satellite without a name, its host */
  readonly name: string
  /** A picture (https) */
  readonly logoUrl: string | null
  /** The colour of its buttons, legible on light and on dark pages */
  readonly accent: AccentsAnswer
  /** Whether people log in with a password typed there, through the main site, or either */
  readonly loginMode: SatelliteAnswer['loginMode']
  /** Where people without a password at hand log in */
  readonly main: MainSiteAnswer
  /** Whether anybody may create an account, at `/signup` of the main site */
  readonly isSignUpOpen: boolean
}
export interface SiteSessionsAnswer {
  /** Its origin */
  readonly site: string | null
  readonly kind: 'main' | 'satellite' | 'app'
  /** Most recently used first */
  readonly sessions: readonly SessionAnswer[]
}
export interface StatusAnswer {
  readonly status: 'ok' | 'degraded'
  readonly parts: PartsAnswer
}
export interface SubscriptionAnswer {
  readonly status: 'none' | 'incomplete' | 'incomplete_expired' | 'trialing' | 'active' | 'past_due' | 'canceled' | 'unpaid' | 'paused'
  /** What this means for the account */
  readonly state: 'none' | 'pending' | 'unconfirmed' | 'trialing' | 'active' | 'past_due' | 'restricted' | 'canceled'
  readonly plan: string | null
  /** The plan's name, for people */
  readonly planName: string | null
  /** What the plan is called in other languages, by their BCP 47 tags */
  readonly planNames: Readonly<Record<string, string>>
  /** How many seats are billed */
  readonly quantity: number | null
  readonly currentPeriodEnd: string | null
  /** Whether a cancellation is scheduled */
  readonly cancelAtPeriodEnd: boolean
  /** When it ends or has ended */
  readonly endsAt: string | null
  /** When the next period is charged */
  readonly renewsAt: string | null
  readonly graceUntil: string | null
  /** While `unconfirmed`, the payment provider's page to confirm the payment */
  readonly confirmUrl: string | null
  /** How many the account may have now */
  readonly limits: LimitsAnswer
  /** Only with `checkout` */
  readonly checkout?: 'pending' | 'active'
}
export interface TeamAnswer {
  /** The owner, then the members in the order of `sort` */
  readonly users: readonly TeamMemberAnswer[]
  /** For `after`, with the same `sort` */
  readonly next: string | null
  /** How many users the account has, whatever the filter */
  readonly total: number
}
export interface TeamMemberAnswer {
  readonly userId: string
  readonly email: string
  readonly name: string | null
  readonly role: 'owner' | 'member'
  /** As granted */
  readonly permissions: PermissionsBody
  /** Origins to log in at */
  readonly satellites: readonly string[] | null
  readonly isDisabled: boolean
  readonly hasSecondFactor: boolean
  /** Whether they may do nothing until they have a second factor */
  readonly mustEnrol: boolean
  /** When a requested reset of their second factors happens */
  readonly factorResetAt: string | null
  /** The last login, at any site */
  readonly lastLoginAt: string | null
  readonly createdAt: string
}
export interface TeamSatelliteAnswer {
  /** What `satellites` of members and invitations take */
  readonly origin: string
  readonly name: string
  /** Members who may log in everywhere need access by name to previews */
  readonly kind: SatelliteAnswer['kind']
  /** Users can log in only at active ones */
  readonly state: SatelliteAnswer['state']
}
export interface TeamSatellitesAnswer {
  readonly satellites: readonly TeamSatelliteAnswer[]
}
export interface TotpAnswer {
  readonly confirmedAt: string
}
export interface TotpCodeBody {
  readonly code: string
}
export interface TotpSecretAnswer {
  /** Base32, to be typed */
  readonly secret: string
  /** The same, as a QR code contains it */
  readonly uri: string
}
export interface TransferAnswer {
  /** The future owner */
  readonly userId: string
  readonly requestedAt: string
  /** The earliest time at which it is done */
  readonly readyAt: string
  /** It is cancelled if it has not been accepted by then */
  readonly expiresAt: string
  readonly acceptedAt: string | null
}
export interface TransferBody {
  /** A member of the account */
  readonly userId: string
}
export interface VerifySignUpBody {
  /** From behind `#token=` in the link */
  readonly token: string
  /** As at `POST /api/login` */
  readonly deviceId?: string | null
  /** The one given at the sign-up */
  readonly password: string
}
export interface WebhookAnswer {
  readonly received: boolean
}
