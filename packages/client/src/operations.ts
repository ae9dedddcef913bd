/* Written by npm run openapi from docs/openapi.json. */
export interface paths {
    readonly "/.well-known/jwks.json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The public keys of access tokens
         * @description JSON Web Key Set (RFC 7517) for other backends: the next key, the current one, and retired ones whose tokens may still be valid. Cache it for ten minutes at most.
         */
        readonly get: operations["JwksController_list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/sessions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List one's own live sessions by site
         * @description The main site and apps are shown all of them. A session of a satellite is shown those of its own site, and all of them after `POST /api/reauthenticate`, until that expires; `complete` says whether the list is complete.
         */
        readonly get: operations["ActiveSessionsController_list"];
        readonly put?: never;
        readonly post?: never;
        /**
         * End all of one's other sessions
         * @description Everywhere except in the caller's session. On a satellite this requires `POST /api/reauthenticate` first.
         */
        readonly delete: operations["ActiveSessionsController_endOthers"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/sessions/{sid}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * End one of one's own sessions
         * @description It can no longer be refreshed; an access token that it already has stays valid until it expires. A session that is not in the caller's list (already ended, unknown, somebody else's) is 404.
         */
        readonly delete: operations["ActiveSessionsController_end"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/login": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Log in with e-mail and password
         * @description With source `main` the session is set as the cookie `sessionId` (HttpOnly, Secure, SameSite=Lax); only pages of the main site, and clients without an Origin, may request it. With source `satellite` it comes in the body. A device id (main site: the cookie `__Host-device`; elsewhere `deviceId` in the body) distinguishes devices of the same kind, so that the user is mailed about a login with another one. Where the password is right but a second factor is required, the 401 has `challenge` and `methods` for `POST /api/login/second-factor`.
         */
        readonly post: operations["LoginController_login"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/logout": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Log out
         * @description Ends the session of the access token, which can no longer be refreshed. The token itself stays valid until it expires. On the main site the sessions of satellites that it was handed on to end too, unless `scope` is `here`.
         */
        readonly post: operations["LoginController_logout"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/login/second-factor": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Log in: the second step
         * @description Completes a login that `POST /api/login` has answered with 401 `SECOND_FACTOR_REQUIRED`. That answer has the members `challenge`, and `methods`: what the user can use here, of `totp`, `passkey` and `recovery`. The challenge is good for five minutes and five tries, from the same origin and network; then the answer is `CHALLENGE_EXPIRED`, and the login begins again. Each code counts once. With `rememberDevice` the main site also gets the cookie `__Host-remembered-device`. Wrong codes count like wrong passwords.
         */
        readonly post: operations["SecondFactorController_complete"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/login/passkey/options": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Request what `navigator.credentials.get()` takes
         * @description PublicKeyCredentialRequestOptionsJSON, to log in, as a second factor, or to re-authenticate. The same for everybody; nothing is stored.
         */
        readonly post: operations["PasskeyLoginController_options"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/login/passkey": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Log in with a passkey
         * @description A passkey that has checked its user is two factors. Otherwise like `POST /api/login`. Satellites may do so where PASSKEY_RELATED_ORIGINS lists them. Whatever is wrong is `PASSKEY_INVALID`: the challenge, the page, the signature, or a user who may not log in there.
         */
        readonly post: operations["PasskeyLoginController_login"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/.well-known/webauthn": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Other origins where the same passkeys work
         * @description For browsers (WebAuthn Level 3 §5.11), at the domain that the passkeys belong to. Only if PASSKEY_RELATED_ORIGINS is set.
         */
        readonly get: operations["RelatedOriginsController_list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/handoff": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * A satellite that one may be handed on to
         * @description For the page of the main site that asks whether to go on to a satellite. Of a satellite where the user is not invited it says no more than its host.
         */
        readonly get: operations["HandoffController_describe"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/handoff/satellite": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Whether an origin is that of an active satellite
         * @description For the page of the main site before anybody has logged in, which must lead to satellites only. It says no more than a preflight from that origin does.
         */
        readonly get: operations["HandoffController_requireSatellite"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/handoff/codes": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Hand the login on to a satellite
         * @description For pages of the main site, with a live main session. The address in the answer carries a code that only a page of that satellite can use, and only with the verifier that it has kept.
         */
        readonly post: operations["HandoffController_issueCode"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/handoff/redeem": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Log in on a satellite with a code from the main site
         * @description Only from the origin that the code was made for. The session ends with the session of the main site that it comes from, at the latest. Whatever is wrong is `HANDOFF_CODE_INVALID` and does not use the code up. A code that is used again ends the session that it opened.
         */
        readonly post: operations["HandoffController_redeem"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/sessions/not-me": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Report that a login was not one's own
         * @description Takes the token of the link in a mail about a new device or something unusual. Somebody else has the password, so it ends all sessions of the user, removes the password, forgets the device and network in question, and mails a link for a new password to the address that this link went to. If the user's address has been changed since, it is changed back. Invitations, a transfer and a deletion of the account that were pending are cancelled. The link works once, within 24 hours, even if the session has ended by then.
         */
        readonly post: operations["UnrecognizedLoginController_report"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/password/forgot": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Request a link to choose a new password
         * @description The answer is the same for every address and takes the same time. The link works once, within 30 minutes, and invalidates earlier ones.
         */
        readonly post: operations["PasswordController_forgot"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/password/reset": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Choose a new password with a mailed link
         * @description Uses the link up and ends all sessions of the user; nobody is logged in. If the address that it was mailed to was changed within the last 7 days, that address comes back. With a weak password the link stays valid for another try.
         */
        readonly post: operations["PasswordController_reset"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/password/change": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Change one's own password
         * @description Requires the current password. A main session needs its cookie too. Ends all other sessions of the user; this one continues. A pending transfer of the account and a pending change of e-mail address are cancelled.
         */
        readonly post: operations["PasswordController_change"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/reauthenticate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * How to re-authenticate
         * @description What the user has, and may use on pages of this origin.
         */
        readonly get: operations["ReauthenticationController_list"];
        readonly put?: never;
        /**
         * Re-authenticate
         * @description Takes exactly one of the proofs; for a passkey, request `POST /api/login/passkey/options` first. Marks the session of the access token for some minutes (10 unless configured). Endpoints that require it answer 401 `REAUTHENTICATION_REQUIRED` with `WWW-Authenticate: Bearer error="insufficient_user_authentication", max_age="600"` (RFC 9470) and the member `methods`: what the user can use here, of `password`, `totp`, `passkey` and `recovery`. No new access token is needed; the next one says in `amr` and `auth_time` what was proved.
         */
        readonly post: operations["ReauthenticationController_reauthenticate"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/refresh": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Get a new access token
         * @description Takes the cookie `sessionId` (main site) or the header `X-Session-ID` (everybody else), never both. No body.
         */
        readonly post: operations["RefreshController_refresh"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/second-factor": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** What the caller logs in with */
        readonly get: operations["SecondFactorOverviewController_show"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/second-factor/totp": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Request a secret for an authenticator app
         * @description RFC 6238: SHA-1, 6 digits, 30 s. It counts once `POST /api/second-factor/totp/confirm` has seen a code of it, and replaces one that was never confirmed.
         */
        readonly post: operations["TotpController_begin"];
        /**
         * Remove the authenticator app
         * @description All remembered devices are forgotten. Without any other factor the recovery codes go too.
         */
        readonly delete: operations["TotpController_remove"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/second-factor/totp/confirm": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Confirm the authenticator app by a code
         * @description From then on a password alone does not log the user in. If it is their first factor, their other sessions end. This session counts as one with two factors. The user is mailed.
         */
        readonly post: operations["TotpController_confirm"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/second-factor/recovery-codes": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Make new recovery codes
         * @description Each logs in once in place of another second factor. The earlier ones stop working. The user is mailed.
         */
        readonly post: operations["RecoveryCodesController_replace"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/remembered-devices": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List the browsers that are not asked for a second factor */
        readonly get: operations["RememberedDevicesController_list"];
        readonly put?: never;
        readonly post?: never;
        /** Ask every browser for a second factor again */
        readonly delete: operations["RememberedDevicesController_forgetAll"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/remembered-devices/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Ask a browser for a second factor again
         * @description Safe to repeat; the same for an id that is unknown.
         */
        readonly delete: operations["RememberedDevicesController_forget"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/passkeys": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List one's own passkeys */
        readonly get: operations["PasskeysController_list"];
        readonly put?: never;
        /**
         * Add a passkey
         * @description The first second factor of a user ends their other sessions. Who has one already must have used it recently (`STEP_UP_REQUIRED`). Without a name, the passkey is named after its maker.
         */
        readonly post: operations["PasskeysController_add"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/passkeys/options": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Request what `navigator.credentials.create()` takes
         * @description PublicKeyCredentialCreationOptionsJSON, for this session, within 5 minutes.
         */
        readonly post: operations["PasskeysController_options"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/passkeys/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Remove a passkey
         * @description The answer is for `PublicKeyCredential.signalUnknownCredential` and `signalAllAcceptedCredentials`. The other sessions end, and remembered devices are forgotten. A user without a password keeps two passkeys, or one and recovery codes (`LAST_WAY_IN`).
         */
        readonly delete: operations["PasskeysController_remove"];
        readonly options?: never;
        readonly head?: never;
        /** Rename a passkey */
        readonly patch: operations["PasskeysController_rename"];
        readonly trace?: never;
    };
    readonly "/api/password": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Give up one's password
         * @description For users with two passkeys, or with one and recovery codes; `LAST_WAY_IN` for others. The other sessions end. A link for a forgotten password brings one back.
         */
        readonly delete: operations["PasswordRemovalController_remove"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/satellites": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List the satellites of the account */
        readonly get: operations["SatellitesController_list"];
        readonly put?: never;
        /**
         * Add a satellite
         * @description It is `pending`, and its pages are refused, until the account has proven that the host is its own: by the TXT record or the file in `proof`. `https`, port 443 and a name of its own are required; names that many share, such as `github.io`, and IP addresses are refused.
         */
        readonly post: operations["SatellitesController_add"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/satellites/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Get one satellite */
        readonly get: operations["SatellitesController_find"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Remove a satellite
         * @description Its pages are refused within two seconds, and its sessions cannot be refreshed any longer.
         */
        readonly delete: operations["SatellitesController_remove"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Change a satellite
         * @description Changes what the body has and nothing else. Live on every replica within two seconds; permissions of running sessions change at their next refresh.
         */
        readonly patch: operations["SatellitesController_change"];
        readonly trace?: never;
    };
    readonly "/api/satellites/{id}/verify": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Prove a satellite
         * @description Looks for the record and the file now, and activates the satellite, or resumes a suspended one that no operator has suspended. `PROOF_NOT_FOUND` says in `errors` what was looked up and what came back. An origin moves here when the account that had it can no longer prove it.
         */
        readonly post: operations["SatellitesController_verify"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/satellites/{id}/suspend": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Suspend a satellite
         * @description Its pages are refused within two seconds, and the refresh of its sessions is 401. Everybody else notices nothing.
         */
        readonly post: operations["SatellitesController_suspend"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/satellites/{id}/resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Prove a satellite
         * @description Looks for the record and the file now, and activates the satellite, or resumes a suspended one that no operator has suspended. `PROOF_NOT_FOUND` says in `errors` what was looked up and what came back. An origin moves here when the account that had it can no longer prove it.
         */
        readonly post: operations["SatellitesController_resume"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/team/invitations": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The open invitations of the account
         * @description Main site only, with teamManagement.
         */
        readonly get: operations["InvitationsController_list"];
        readonly put?: never;
        /**
         * Invite somebody by e-mail
         * @description Main site only, with teamManagement. The link in the mail works once, within 7 days, and replaces an earlier one to the same address. Nobody can give permissions that they do not have. Giving payments or teamManagement requires a re-authentication. The answer does not tell whether the address has a login in another account.
         */
        readonly post: operations["InvitationsController_invite"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/team/invitations/{id}/resend": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Send an open invitation again
         * @description Main site only, with teamManagement. The new link has a new id, works for 7 days and replaces the previous one. It counts, and can be refused, like a new invitation with the same contents.
         */
        readonly post: operations["InvitationsController_resend"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/team/invitations/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Withdraw an invitation
         * @description Main site only, with teamManagement.
         */
        readonly delete: operations["InvitationsController_withdraw"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/invitations/accept": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Join a team with a mailed link
         * @description Uses the link up and creates the member; nobody is logged in. It works as long as the inviter could still give the same. With a weak password the link stays valid for another try.
         */
        readonly post: operations["AcceptInvitationController_accept"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/team/satellites": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the satellites that members can be given access to
         * @description Main site only, with teamManagement. What `GET /api/satellites` says besides is for those with accountSettings.
         */
        readonly get: operations["TeamSatellitesController_list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/team": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the members of the account
         * @description Main site only. Access token and session cookie must belong to the same session, and it must currently have the teamManagement permission.
         */
        readonly get: operations["MembersController_list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/team/{userId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get one member of the account
         * @description Main site only. Access token and session cookie must belong to the same session, and it must currently have the teamManagement permission.
         */
        readonly get: operations["MembersController_find"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Remove a member
         * @description Main site only. Access token and session cookie must belong to the same session, and it must currently have the teamManagement permission. All sessions of the member end and the links mailed to them stop working. They can only come back through an invitation.
         */
        readonly delete: operations["MembersController_remove"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/team/{userId}/permissions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /**
         * Change a member's permissions
         * @description Main site only. Access token and session cookie must belong to the same session, and it must currently have the teamManagement permission. Live sessions of the member get them at their next refresh. Nobody can change their own permissions or give what they do not have; the owner always has all. Giving payments or teamManagement requires a re-authentication.
         */
        readonly put: operations["MembersController_setPermissions"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/team/{userId}/satellites": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /**
         * Change where a member may log in
         * @description Main site only. Access token and session cookie must belong to the same session, and it must currently have the teamManagement permission. The member's sessions at other satellites end.
         */
        readonly put: operations["MembersController_setSatellites"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/team/{userId}/disable": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Disable a member
         * @description Main site only. Access token and session cookie must belong to the same session, and it must currently have the teamManagement permission. All sessions of the member end.
         */
        readonly post: operations["MembersController_disable"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/team/{userId}/enable": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Enable a disabled member
         * @description Main site only. Access token and session cookie must belong to the same session, and it must currently have the teamManagement permission. This gives the member's permissions back, so the rules for giving them apply: the caller must have them, and payments or teamManagement require a re-authentication.
         */
        readonly post: operations["MembersController_enable"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/team/{userId}/sessions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the live sessions of a member by site
         * @description Main site only, with teamManagement. The owner's sessions are the owner's alone.
         */
        readonly get: operations["TeamSessionsController_list"];
        readonly put?: never;
        readonly post?: never;
        /**
         * End all sessions of a member
         * @description Main site only, with teamManagement. The owner's sessions are the owner's alone. The member may log in again.
         */
        readonly delete: operations["TeamSessionsController_endAll"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/team/{userId}/sessions/{sid}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * End one session of a member
         * @description Main site only, with teamManagement. The owner's sessions are the owner's alone. A session that is not in the member's list is 404.
         */
        readonly delete: operations["TeamSessionsController_end"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/team/{userId}/second-factor/reset": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Reset a member's second factors, after 24 hours
         * @description For a member who has lost theirs. All passkeys, the authenticator app, recovery codes and remembered devices of the member are removed, and all their sessions end. The password stays. The member is mailed a link to do it at once, or to stop it. Asking again changes nothing. Nobody can ask for themselves, for the owner, or for somebody who may do what they may not.
         */
        readonly post: operations["FactorResetController_request"];
        /** Cancel a reset of a member's second factors */
        readonly delete: operations["FactorResetController_cancel"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/second-factor-reset/confirm": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Reset the second factors now
         * @description With the link mailed to the member, while it goes to their present address. All passkeys, the authenticator app, recovery codes and remembered devices of the member are removed, and all their sessions end. The password stays.
         */
        readonly post: operations["FactorResetLinksController_confirm"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/second-factor-reset/stop": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Stop a reset of the second factors
         * @description With the link mailed to the member, or to somebody for whom an operator has requested it.
         */
        readonly post: operations["FactorResetLinksController_stop"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/subscription/create": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Start a hosted checkout
         * @description Main site only: access token and session cookie must belong to the same session, and it must currently have the payments permission. Asking again while a checkout of the same price and return address is open gives the same URL. While a first payment is on its way, nothing can be bought (409). With a live subscription, another price gives the page for changing the plan, which leads back with `portal=closed`. After payment the browser comes back to the return address with `checkout=<id>` in its query. An account that is going to be deleted cannot buy until its owner cancels the deletion (409).
         */
        readonly post: operations["BillingController_create"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/subscription/portal": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Open the billing portal
         * @description Main site only, like a checkout. Subscriptions are cancelled and resumed there. It leads back to the return address with `portal=closed` in its query.
         */
        readonly post: operations["BillingController_openPortal"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/subscription": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The account's subscription
         * @description As the payment provider has it: a return from its page proves nothing. With `checkout`, after a return from there, the provider is asked if its event has not arrived yet: `pending` may still become `active`. With `portal=closed` it is asked for whoever has the payments permission. Either is in the query of the address that the browser comes back to.
         */
        readonly get: operations["BillingController_read"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/invoices": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The newest invoices of the account
         * @description Main site only, with payments. As the payment provider has them, up to 20 s old; none for an account that has never paid. The pages of `POST /api/subscription/portal` have all of them.
         */
        readonly get: operations["InvoicesController_list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/plans": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * What is on sale
         * @description Every price that can be bought, with amount and period as the payment provider has them. Up to ten minutes old; while the provider does not answer, the last known ones.
         */
        readonly get: operations["PlansController_list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/webhooks/stripe": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Events of the payment provider
         * @description Each event is stored once and answered 200 when that is committed; its effects follow. Anything but a 200 makes the provider send it again.
         */
        readonly post: operations["WebhookController_receive"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/signup": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Sign up
         * @description Mails a link to the address, valid for 24 hours; nothing exists before it is followed. If the address already has a user, it gets a mail that says so; the answer is the same.
         */
        readonly post: operations["SignUpController_signUp"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/signup/verify": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Confirm the e-mail address of a sign-up
         * @description Creates the account and its owner, who can then log in. It takes the password of the sign-up again, because whoever reads the mail may not be the one who chose it. With a wrong password the link stays valid.
         */
        readonly post: operations["SignUpController_verify"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/profile": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get one's own profile
         * @description As the database has it now; an access token may be some minutes behind.
         */
        readonly get: operations["ProfileController_read"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /** Change one's own name, or the language of one's mails */
        readonly patch: operations["ProfileController_change"];
        readonly trace?: never;
    };
    readonly "/api/profile/export": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Export all of one's own data
         * @description One JSON object: `profile`, `account`, `sessions`, `factors`, `familiarClients`, `pendingLinks`, `auditLog` (what concerns the user) and `actions` (what the user did to others), without any secret. Needs a re-authentication; a main session needs its cookie too. If the export fails on the way, the connection is cut, and what has arrived is not complete JSON.
         */
        readonly get: operations["ProfileController_export"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/email/change": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Request another e-mail address
         * @description Main site, after a re-authentication. Mails a link to the new address, valid for 24 hours; nothing changes before it is followed. If the address already has a user, it gets a mail that says so; the answer is the same.
         */
        readonly post: operations["EmailChangeController_change"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/email/confirm": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Confirm the new e-mail address
         * @description With access token and cookie of a main session of the user, or with the password: the link alone is no proof. The user logs in with the new address from then on; sessions continue. The old address is sent a link to undo the change, unless the user goes back to an address that they left within the last 7 days.
         */
        readonly post: operations["EmailChangeController_confirm"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/email/undo": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Undo a change of the e-mail address
         * @description With the link in the mail to the old address, within 7 days. That address comes back, all sessions end, the password is removed, and the old address is sent a link for a new one. Links from later changes stop working. Invitations, a transfer and a deletion of the account that were pending are cancelled.
         */
        readonly post: operations["EmailChangeController_undo"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/account": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The account
         * @description Main site, with the permission accountSettings.
         */
        readonly get: operations["AccountController_read"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /**
         * Change the account's name or its logins on satellites
         * @description Main site, with the permission accountSettings.
         */
        readonly patch: operations["AccountController_change"];
        readonly trace?: never;
    };
    readonly "/api/account/deletion": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Delete the account, after a grace period
         * @description For the owner on the main site, after a re-authentication. Everything but a new checkout works as usual until `deleteAt`; asking again keeps the first date. Then the account is deleted with all its users and sessions. While a change of the owner’s e-mail address can still be undone, the deletion waits. The audit log is kept.
         */
        readonly post: operations["AccountDeletionController_request"];
        /**
         * Cancel the deletion of the account
         * @description For the owner on the main site.
         */
        readonly delete: operations["AccountDeletionController_cancel"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/account/transfer": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Ask a member to become the owner
         * @description For the owner on the main site, after a re-authentication. The member is mailed a link to accept, valid for 7 days; the owner is mailed a link to stop it. Once it has been accepted and TRANSFER_WAIT_SECONDS has passed, the member becomes the owner, with every permission on all sites, and the owner becomes a member with the permissions of a new member. It waits longer while a change of either's e-mail address can be undone. A new password of the owner cancels it.
         */
        readonly post: operations["TransferController_request"];
        /**
         * Cancel the pending transfer
         * @description For the owner on the main site.
         */
        readonly delete: operations["TransferController_cancel"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/account/transfer/accept": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Accept ownership
         * @description With the link mailed to the member. The owner is told, with another link to stop it.
         */
        readonly post: operations["TransferController_accept"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/account/transfer/stop": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Stop a transfer with a mailed link
         * @description With a link mailed to the owner or to one of the owner's earlier addresses that can still come back. Owner and member are told by mail.
         */
        readonly post: operations["TransferController_stop"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/account/second-factor": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * What the account requires of its users: second factors
         * @description Main site, with the permission accountSettings.
         */
        readonly get: operations["SecondFactorPolicyController_read"];
        /**
         * Require second factors
         * @description Main site, with the permission accountSettings. After a re-authentication and, where the account already requires something, with a second factor that was used recently. From the date on users who should have a second factor and have none may do nothing but set one up, in live sessions too, from their next refresh. Whoever becomes one of them later has no days of grace. Everybody in charge of the account is told by mail.
         */
        readonly put: operations["SecondFactorPolicyController_change"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/audit": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The account's audit log
         * @description Main site, with the permission accountSettings. Newest first.
         */
        readonly get: operations["AuditController_list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/audit/export": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Export the account's audit log
         * @description As JSON lines, oldest first: `{"row": {…}, "email": "…", "seal": {"position", "previous", "hash"}}`. `hash` is SHA-256 over the text of `previous` and the row as JSON with its names in order and no white space (RFC 8785). With `format=ocsf` each line is an event of OCSF 1.3.0: `raw_data` is the row as JSON, `unmapped.seal` its seal. If the export fails on the way, the connection is cut, so clients see an incomplete transfer.
         */
        readonly get: operations["AuditController_export"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/logins": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get one's own login history
         * @description Logins and failed logins of the caller, newest first: on all sites, or for a session of a satellite on that one alone, unless its user has re-authenticated there.
         */
        readonly get: operations["LoginsController_list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/data": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Who is calling, and what they may do
         * @description The example of an ordinary request: checked by the signature of the access token alone.
         */
        readonly get: operations["DataController_read"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/health/live": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Is the process alive? */
        readonly get: operations["HealthController_live"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/health/ready": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * May requests be sent here?
         * @description About this process alone: it stays ready while a part is down, see `/health/status`.
         */
        readonly get: operations["HealthController_ready"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/health/status": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Which parts are up?
         * @description For operators. The state is checked every second, however often this is asked.
         */
        readonly get: operations["HealthController_status"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        readonly JwksAnswer: {
            /**
             * @example [
             *       {
             *         "kty": "EC",
             *         "crv": "P-256",
             *         "x": "…",
             *         "y": "…",
             *         "kid": "…",
             *         "alg": "ES256",
             *         "use": "sig"
             *       }
             *     ]
             */
            readonly keys: readonly {
                readonly [key: string]: string;
            }[];
        };
        readonly SessionAnswer: {
            /**
             * @description Its public handle, which cannot be used to log in
             * @example 0iXbCZ6pMTi7jYvK0m6Ps4hSQ1cO1xB7bDy3q6cS8sE
             */
            readonly sid: string;
            /** @description Whether it is the caller's session */
            readonly current: boolean;
            /**
             * @description As its client identifies itself
             * @example Firefox on Linux
             */
            readonly device: string;
            /**
             * @description Roughly where its address is; null when unknown
             * @example Zürich, Switzerland
             */
            readonly place: string | null;
            /** @example 203.0.113.7 */
            readonly ip: string;
            /** Format: date-time */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @description Its last refresh
             */
            readonly lastUsed: string;
            /**
             * Format: date-time
             * @description When it ends; use does not extend it
             */
            readonly expiresAt: string;
        };
        readonly SiteSessionsAnswer: {
            /**
             * @description Its origin; null for apps
             * @example https://www.example.com
             */
            readonly site: string | null;
            /** @enum {string} */
            readonly kind: "main" | "satellite" | "app";
            /** @description Most recently used first */
            readonly sessions: readonly components["schemas"]["SessionAnswer"][];
        };
        readonly SessionsAnswer: {
            /** @description False on a satellite, which is shown its own sessions only */
            readonly complete: boolean;
            /** @description Most recently used first */
            readonly sites: readonly components["schemas"]["SiteSessionsAnswer"][];
        };
        readonly EndedAnswer: {
            /** @description How many were ended */
            readonly ended: number;
        };
        readonly LoginBody: {
            /**
             * Format: email
             * @example owner@example.com
             */
            readonly email: string;
            /** @example correct horse battery staple */
            readonly password: string;
            /**
             * @description The kind of site that logs in: it bounds what the session may do
             * @enum {string}
             */
            readonly source: "main" | "satellite";
            /**
             * @description Satellites and mobile apps: the device id of an earlier login, null when there is none yet. The main site has a cookie instead
             * @example k2Yb0Ue8vWq3mJx7c1FZr5TnLh9PsDaG4oEiRw6XtCM
             */
            readonly deviceId?: string | null;
        };
        readonly LoginAnswer: {
            /** @description JWT, valid for 15 minutes */
            readonly accessToken: string;
            /**
             * Format: uuid
             * @description Satellites and mobile apps only
             */
            readonly sessionId?: string;
            /** @description For a client that sent null or an unknown id as `deviceId`: the id to keep and send from now on */
            readonly deviceId?: string;
        };
        readonly SecondFactorBody: {
            /** @description Of `SECOND_FACTOR_REQUIRED` */
            readonly challenge: string;
            /**
             * @description Of the authenticator app
             * @example 123456
             */
            readonly code?: string;
            /**
             * @description Works once
             * @example 7K3M-9XQ2-VB4N-H8TE
             */
            readonly recoveryCode?: string;
            /** @description `PublicKeyCredential.toJSON()`: what credentials.get() gave, as JSON */
            readonly passkey?: {
                readonly [key: string]: unknown;
            };
            /**
             * @description Main site: not to ask this browser for a second factor for 30 days
             * @default false
             */
            readonly rememberDevice: boolean;
            /** @description As at `POST /api/login` */
            readonly deviceId?: string | null;
        };
        readonly PasskeyOptionsAnswer: {
            /** @description For one use, within 5 minutes */
            readonly challenge: string;
            /**
             * @description The domain that the passkeys belong to
             * @example example.com
             */
            readonly rpId: string;
            /**
             * @description In milliseconds
             * @example 300000
             */
            readonly timeout: number;
            /** @enum {string} */
            readonly userVerification: "required";
            /** @description Empty: the authenticator shows which passkeys it has */
            readonly allowCredentials: readonly Record<string, never>[];
        };
        readonly PasskeyLoginBody: {
            /**
             * @description The kind of site that logs in: it bounds what the session may do
             * @enum {string}
             */
            readonly source: "main" | "satellite";
            /**
             * @description Satellites and mobile apps: the device id of an earlier login, null when there is none yet. The main site has a cookie instead
             * @example k2Yb0Ue8vWq3mJx7c1FZr5TnLh9PsDaG4oEiRw6XtCM
             */
            readonly deviceId?: string | null;
            /** @description `PublicKeyCredential.toJSON()`: what credentials.get() gave, as JSON */
            readonly response: {
                readonly [key: string]: unknown;
            };
        };
        readonly RelatedOriginsAnswer: {
            /**
             * @example [
             *       "https://www.brand.example"
             *     ]
             */
            readonly origins: readonly string[];
        };
        readonly BrandingAnswer: {
            readonly name: string;
            readonly logoUrl: string | null;
            /** @example #1d4ed8 */
            readonly accent: string;
            /** @example #ffffff */
            readonly background: string;
        };
        readonly HandoffDestinationAnswer: {
            /**
             * @description As it was asked for
             * @example https://shop.example.com
             */
            readonly origin: string;
            /** @description Its host, where the user is not invited */
            readonly name: string;
            readonly branding: components["schemas"]["BrandingAnswer"] | null;
            /**
             * @description `access_denied`: people log in there with their password only
             * @enum {string}
             */
            readonly access: "allowed" | "not_invited" | "suspended" | "access_denied";
            /** @description Whether the user has been logged in there in this way, and has not logged out since */
            readonly isKnown: boolean;
            /**
             * Format: email
             * @description Who is logged in
             */
            readonly email: string;
            /**
             * Format: uri
             * @description Whatever the main site sends back to the satellite names this issuer (RFC 9207)
             */
            readonly iss: string;
        };
        readonly OriginAnswer: {
            /** @example https://shop.example.com */
            readonly origin: string;
            /**
             * Format: uri
             * @description Whatever the main site sends back to the satellite names this issuer (RFC 9207)
             */
            readonly iss: string;
        };
        readonly HandoffBody: {
            /**
             * @description The origin of the satellite
             * @example https://shop.example.com
             */
            readonly satellite: string;
            /**
             * @description base64url SHA-256 of the verifier that the page of the satellite keeps (RFC 7636, S256)
             * @example E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM
             */
            readonly challenge: string;
            /**
             * @description 32 random bytes as base64url, by which that page recognises the answer
             * @example E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM
             */
            readonly state: string;
        };
        readonly HandoffAnswer: {
            /**
             * @description Where the browser goes now; `code` is valid for 60 s and once
             * @example https://shop.example.com/handoff-callback#code=…&state=…&iss=…
             */
            readonly redirect: string;
        };
        readonly RedeemBody: {
            /** @description From behind the `#` of the address */
            readonly code: string;
            /**
             * @description What the challenge was made of
             * @example dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk
             */
            readonly verifier: string;
            /** @description As for `POST /api/login` */
            readonly deviceId?: string | null;
        };
        readonly MailedLinkBody: {
            /** @description From behind `#token=` in the link */
            readonly token: string;
        };
        readonly PasswordForgotBody: {
            /**
             * Format: email
             * @example owner@example.com
             */
            readonly email: string;
        };
        readonly PasswordResetBody: {
            /**
             * @description The new password
             * @example four words nobody guesses
             */
            readonly password: string;
            /** @description From behind `#token=` in the link */
            readonly token: string;
        };
        readonly PasswordResetAnswer: {
            /** @description Origins of the satellites where the user may log in; null means everywhere */
            readonly satellites: readonly string[] | null;
        };
        readonly PasswordChangeBody: {
            /**
             * @description The new password
             * @example four words nobody guesses
             */
            readonly password: string;
            /**
             * @description The password that the user has now
             * @example correct horse battery staple
             */
            readonly currentPassword: string;
        };
        readonly ReauthenticationMethodsAnswer: {
            readonly methods: readonly ("password" | "totp" | "passkey" | "recovery")[];
        };
        readonly ReauthenticateBody: {
            /**
             * @description The password that the user has now
             * @example correct horse battery staple
             */
            readonly password?: string;
            /**
             * @description Of the authenticator app
             * @example 123456
             */
            readonly code?: string;
            /**
             * @description Works once
             * @example 7K3M-9XQ2-VB4N-H8TE
             */
            readonly recoveryCode?: string;
            /** @description `PublicKeyCredential.toJSON()`: what credentials.get() gave, as JSON */
            readonly passkey?: {
                readonly [key: string]: unknown;
            };
        };
        readonly ReauthenticationAnswer: {
            /**
             * Format: date-time
             * @description When the re-authentication expires
             */
            readonly reauthenticatedUntil: string;
        };
        readonly RefreshAnswer: {
            /** @description JWT, valid for 15 minutes; replaces the previous one */
            readonly accessToken: string;
        };
        readonly TotpAnswer: {
            /** Format: date-time */
            readonly confirmedAt: string;
        };
        readonly SecondFactorAnswer: {
            /** @description The authenticator app; null without one */
            readonly totp: components["schemas"]["TotpAnswer"] | null;
            /** @description How many */
            readonly passkeys: number;
            /** @description Unused ones */
            readonly recoveryCodesLeft: number;
            /** @description False for who has given their password up */
            readonly hasPassword: boolean;
            /** @description Whether the account requires a second factor of them */
            readonly required: boolean;
            /**
             * Format: date-time
             * @description From when on
             */
            readonly requiredFrom: string | null;
            /** @description Whether they can do nothing else before they have one */
            readonly mustEnrol: boolean;
        };
        readonly TotpSecretAnswer: {
            /**
             * @description Base32, to be typed
             * @example JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP
             */
            readonly secret: string;
            /**
             * @description The same as a QR code has it
             * @example otpauth://totp/www.example.com:owner%40example.com?secret=JBSWY3DPEHPK3PXP&issuer=www.example.com
             */
            readonly uri: string;
        };
        readonly TotpCodeBody: {
            /** @example 123456 */
            readonly code: string;
        };
        readonly NewRecoveryCodesAnswer: {
            /**
             * @description Ten new ones, which are not shown again; null when the user still has some
             * @example [
             *       "7K3M-9XQ2-VB4N-H8TE"
             *     ]
             */
            readonly recoveryCodes: readonly string[] | null;
        };
        readonly RecoveryCodesAnswer: {
            /**
             * @description Ten, which are not shown again
             * @example [
             *       "7K3M-9XQ2-VB4N-H8TE"
             *     ]
             */
            readonly recoveryCodes: readonly string[];
        };
        readonly RememberedDeviceAnswer: {
            /** Format: uuid */
            readonly id: string;
            /**
             * @description As it identified itself
             * @example Firefox on Linux
             */
            readonly name: string;
            /** Format: date-time */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @description The latest login without a second factor
             */
            readonly lastUsedAt: string;
            /**
             * Format: date-time
             * @description When it is asked again; use does not extend it
             */
            readonly expiresAt: string;
            /** @description Whether it is the browser that asks */
            readonly isCurrent: boolean;
        };
        readonly RememberedDevicesAnswer: {
            /** @description The newest first */
            readonly devices: readonly components["schemas"]["RememberedDeviceAnswer"][];
        };
        readonly PasskeyAnswer: {
            /** Format: uuid */
            readonly id: string;
            /** @example Bitwarden */
            readonly name: string;
            /** Format: date-time */
            readonly createdAt: string;
            /** Format: date-time */
            readonly lastUsedAt: string | null;
            /** @description Whether it may be on several devices */
            readonly isBackupEligible: boolean;
            /** @description Whether it is on several devices, or in a cloud */
            readonly isBackedUp: boolean;
            /**
             * @example [
             *       "internal",
             *       "hybrid"
             *     ]
             */
            readonly transports: readonly string[];
        };
        readonly PasskeysAnswer: {
            readonly passkeys: readonly components["schemas"]["PasskeyAnswer"][];
            /**
             * @description The domain that they belong to
             * @example example.com
             */
            readonly rpId: string;
        };
        readonly CreationOptionsAnswer: {
            readonly challenge: string;
            readonly rp: {
                readonly [key: string]: string;
            };
            readonly user: {
                readonly [key: string]: string;
            };
        };
        readonly NewPasskeyBody: {
            /** @description `PublicKeyCredential.toJSON()`: what credentials.create() gave, as JSON */
            readonly response: {
                readonly [key: string]: unknown;
            };
            readonly name?: string;
        };
        readonly PasskeyAddedAnswer: {
            readonly passkey: components["schemas"]["PasskeyAnswer"];
            /** @description Shown this once; null when the user has some already */
            readonly recoveryCodes: readonly string[] | null;
        };
        readonly PasskeyNameBody: {
            readonly name: string;
        };
        readonly PasskeyRemovedAnswer: {
            readonly rpId: string;
            readonly credentialId: string;
            /** @description The user handle, base64url */
            readonly userId: string;
            /** @description The credentials that the user still has */
            readonly remaining: readonly string[];
        };
        readonly CeilingBody: {
            readonly dataEntry: boolean;
            readonly viewReports: boolean;
        };
        readonly BrandingBody: {
            readonly name: string;
            /** Format: uri */
            readonly logoUrl: string | null;
            /**
             * @description Of buttons and links
             * @example #1d4ed8
             */
            readonly accent: string;
            /**
             * @description Of the page
             * @example #f8fafc
             */
            readonly background: string;
        };
        readonly DnsProof: {
            /** @example _mainstay-challenge.shop.example.net */
            readonly name: string;
            /** @description The content of its TXT record */
            readonly value: string;
        };
        readonly FileProof: {
            /** Format: uri */
            readonly url: string;
            readonly content: string;
        };
        readonly ProofAnswer: {
            readonly dns: components["schemas"]["DnsProof"];
            /** @description Null for preview satellites */
            readonly file: components["schemas"]["FileProof"] | null;
            /**
             * Format: date-time
             * @description Until when it counts for a pending satellite
             */
            readonly expiresAt: string;
            /**
             * Format: date-time
             * @description When it was last found
             */
            readonly provenAt: string | null;
            /**
             * @description Where it was last found; `operator`: an operator vouches for the satellite, and nothing is looked up
             * @enum {string|null}
             */
            readonly method: "dns" | "file" | "operator" | null;
            /**
             * Format: date-time
             * @description Since when the daily check has not found it
             */
            readonly failingSince: string | null;
            /**
             * Format: date-time
             * @description When an active satellite is suspended if it stays missing; null when it is not missing
             */
            readonly suspendAt: string | null;
        };
        readonly SatelliteAnswer: {
            /** Format: uuid */
            readonly id: string;
            readonly origin: string;
            readonly name: string;
            /** @enum {string} */
            readonly kind: "production" | "preview";
            /** @enum {string} */
            readonly state: "pending" | "active" | "suspended";
            /**
             * @description Who has suspended it: somebody of the account, the daily check that did not find the proof, or an operator; null unless it is suspended
             * @enum {string|null}
             */
            readonly suspendedBy: "account" | "check" | "operator" | null;
            readonly ceiling: components["schemas"]["CeilingBody"];
            /** @enum {string} */
            readonly loginMode: "password" | "handoff" | "both";
            /** @enum {string} */
            readonly secondFactor: "handoff" | "allowed";
            readonly sessionSeconds: number | null;
            readonly branding: components["schemas"]["BrandingBody"] | null;
            /** Format: date-time */
            readonly createdAt: string;
            readonly proof: components["schemas"]["ProofAnswer"];
        };
        readonly SatellitesAnswer: {
            /** @description Oldest first */
            readonly satellites: readonly components["schemas"]["SatelliteAnswer"][];
        };
        readonly SatelliteBody: {
            /**
             * @description As browsers send it; of a preview satellite a pattern, such as `https://*.preview.example.net`
             * @example https://shop.example.net
             */
            readonly origin: string;
            readonly name: string;
            /**
             * @default production
             * @enum {string}
             */
            readonly kind: "production" | "preview";
        };
        readonly SatelliteChangeBody: {
            readonly name?: string;
            /** @description The most that its sessions may do */
            readonly ceiling?: components["schemas"]["CeilingBody"];
            /** @enum {string} */
            readonly loginMode?: "password" | "handoff" | "both";
            /**
             * @description Whether users may type their second factor on its pages. With `handoff`, those who have one log in through the main site
             * @enum {string}
             */
            readonly secondFactor?: "handoff" | "allowed";
            /** @description How long sessions live that begin from now on; null is what the service has for all */
            readonly sessionSeconds?: number | null;
            readonly branding?: components["schemas"]["BrandingBody"] | null;
        };
        readonly PermissionsBody: {
            readonly payments: boolean;
            readonly accountSettings: boolean;
            readonly teamManagement: boolean;
            readonly dataEntry: boolean;
            readonly viewReports: boolean;
        };
        readonly InvitationBody: {
            /**
             * Format: email
             * @example colleague@example.com
             */
            readonly email: string;
            readonly permissions?: components["schemas"]["PermissionsBody"];
            /**
             * @description Origins; null means all satellites
             * @example [
             *       "https://shop-one.example.net"
             *     ]
             */
            readonly satellites?: readonly string[] | null;
        };
        readonly InvitedAnswer: {
            /** Format: uuid */
            readonly id: string;
            /** Format: email */
            readonly email: string;
            /** Format: date-time */
            readonly expiresAt: string;
        };
        readonly InvitationAnswer: {
            /** Format: uuid */
            readonly id: string;
            /** Format: email */
            readonly email: string;
            /** Format: date-time */
            readonly expiresAt: string;
            readonly permissions: components["schemas"]["PermissionsBody"];
            /** @description Origins; null means all satellites */
            readonly satellites: readonly string[] | null;
            /**
             * Format: uuid
             * @description userId
             */
            readonly invitedBy: string;
            /** Format: date-time */
            readonly createdAt: string;
        };
        readonly InvitationsAnswer: {
            /** @description Oldest first */
            readonly invitations: readonly components["schemas"]["InvitationAnswer"][];
        };
        readonly AcceptInvitationBody: {
            /** @description From behind `#token=` in the link */
            readonly token: string;
            readonly password: string;
            readonly name?: string;
        };
        readonly AcceptedAnswer: {
            /** Format: uuid */
            readonly userId: string;
            /** @description Origins to log in at; null means all */
            readonly satellites: readonly string[] | null;
        };
        readonly TeamSatelliteAnswer: {
            /** @description What `satellites` of members and invitations take */
            readonly origin: string;
            readonly name: string;
            /**
             * @description Members who may log in everywhere need access by name to previews
             * @enum {string}
             */
            readonly kind: "production" | "preview";
            /**
             * @description Nobody can log in at those that are not active
             * @enum {string}
             */
            readonly state: "pending" | "active" | "suspended";
        };
        readonly TeamSatellitesAnswer: {
            readonly satellites: readonly components["schemas"]["TeamSatelliteAnswer"][];
        };
        readonly TeamMemberAnswer: {
            /** Format: uuid */
            readonly userId: string;
            /** Format: email */
            readonly email: string;
            readonly name: string | null;
            /** @enum {string} */
            readonly role: "owner" | "member";
            /** @description As granted; on satellites only some of them count */
            readonly permissions: components["schemas"]["PermissionsBody"];
            /** @description Origins to log in at; null means all */
            readonly satellites: readonly string[] | null;
            readonly isDisabled: boolean;
            readonly hasSecondFactor: boolean;
            /** @description Whether they may do nothing until they have a second factor */
            readonly mustEnrol: boolean;
            /**
             * Format: date-time
             * @description When a requested reset of their second factors happens; null when none is pending
             */
            readonly factorResetAt: string | null;
            /**
             * Format: date-time
             * @description The last login; null for who has not logged in within 400 days
             */
            readonly lastLoginAt: string | null;
            /** Format: date-time */
            readonly createdAt: string;
        };
        readonly TeamAnswer: {
            /** @description Oldest first */
            readonly users: readonly components["schemas"]["TeamMemberAnswer"][];
            /** @description For `after`; null on the last page */
            readonly next: string | null;
        };
        readonly SatellitesBody: {
            /**
             * @description Origins; null means all satellites
             * @example [
             *       "https://shop-one.example.net"
             *     ]
             */
            readonly satellites: readonly string[] | null;
        };
        readonly MemberSessionsAnswer: {
            /** @description Most recently used first */
            readonly sites: readonly components["schemas"]["SiteSessionsAnswer"][];
        };
        readonly EndedMemberSessionsAnswer: {
            /** @description How many were ended */
            readonly ended: number;
        };
        readonly FactorResetAnswer: {
            /**
             * Format: date-time
             * @description When it happens, unless it is stopped
             */
            readonly resetAt: string;
        };
        readonly CreateSubscriptionBody: {
            /** @example price_monthly */
            readonly priceId?: string;
            /**
             * Format: uri
             * @example https://shop-one.example.net/thanks
             */
            readonly return?: string;
        };
        readonly CheckoutAnswer: {
            /**
             * Format: uri
             * @description The payment provider's page; send the browser there
             */
            readonly checkoutUrl: string;
        };
        readonly PortalBody: {
            /**
             * Format: uri
             * @example https://www.example.com/account
             */
            readonly return?: string;
        };
        readonly PortalAnswer: {
            /**
             * Format: uri
             * @description The payment provider's page; send the browser there
             */
            readonly url: string;
        };
        readonly SubscriptionAnswer: {
            /** @enum {string} */
            readonly status: "none" | "incomplete" | "incomplete_expired" | "trialing" | "active" | "past_due" | "canceled" | "unpaid" | "paused";
            /**
             * @description What this means for the account. It has its plan while `trialing`, `active` or `past_due` (a payment is due, until `graceUntil`). `pending`: the first payment is on its way, which can take days
             * @enum {string}
             */
            readonly state: "none" | "pending" | "trialing" | "active" | "past_due" | "restricted" | "canceled";
            /** @example price_monthly */
            readonly plan: string | null;
            /**
             * @description The plan's name, for people
             * @example Team
             */
            readonly planName: string | null;
            /**
             * @description How many seats are billed
             * @example 1
             */
            readonly quantity: number | null;
            /** Format: date-time */
            readonly currentPeriodEnd: string | null;
            /** @description Whether a cancellation is scheduled; it lives until `endsAt` */
            readonly cancelAtPeriodEnd: boolean;
            /**
             * Format: date-time
             * @description When it ends or has ended; null while it continues
             */
            readonly endsAt: string | null;
            /**
             * Format: date-time
             * @description When the next period is charged; null when none will be, or a payment is due already
             */
            readonly renewsAt: string | null;
            /** Format: date-time */
            readonly graceUntil: string | null;
            /**
             * @description Only with `checkout`. `pending`: no payment has arrived yet, or it takes days
             * @enum {string}
             */
            readonly checkout?: "pending" | "active";
        };
        readonly InvoiceAnswer: {
            /** @example in_1MtHbELkdIwHu7ixl4OzzPMv */
            readonly id: string;
            /** @example A1B2C3D4-0001 */
            readonly number: string | null;
            /** Format: date-time */
            readonly createdAt: string;
            /**
             * @description In the currency's smallest unit; negative for a credit
             * @example 2000
             */
            readonly amount: number;
            /**
             * @description ISO 4217, lower case
             * @example usd
             */
            readonly currency: string;
            /**
             * @description `open`: to be paid. Drafts are left out.
             * @enum {string}
             */
            readonly status: "open" | "paid" | "uncollectible" | "void";
            /**
             * Format: uri
             * @description The page of the provider to see and pay it; whoever has the address can open it
             */
            readonly url: string | null;
            /** Format: uri */
            readonly pdfUrl: string | null;
        };
        readonly InvoicesAnswer: {
            /** @description Newest first, 24 at most */
            readonly invoices: readonly components["schemas"]["InvoiceAnswer"][];
        };
        readonly PlanAnswer: {
            /**
             * @description For `POST /api/subscription/create`
             * @example price_monthly
             */
            readonly priceId: string;
            /**
             * @description From the plans file, or else from the provider
             * @example Team
             */
            readonly name: string;
            /**
             * @description For one period, or one seat of it, in the currency's smallest unit; null where it depends on usage
             * @example 2000
             */
            readonly amount: number | null;
            /**
             * @description ISO 4217, lower case
             * @example usd
             */
            readonly currency: string;
            /** @enum {string} */
            readonly interval: "day" | "week" | "month" | "year";
            /**
             * @description How many of them a period has
             * @example 1
             */
            readonly intervalCount: number;
            /** @description Whether each active user is billed */
            readonly seats: boolean;
            /**
             * @description How many days are free at first, for the caller's account
             * @example 0
             */
            readonly trialDays: number;
        };
        readonly PlansAnswer: {
            readonly plans: readonly components["schemas"]["PlanAnswer"][];
        };
        readonly WebhookAnswer: {
            /** @example true */
            readonly received: boolean;
        };
        readonly SignUpBody: {
            /**
             * Format: email
             * @example rosa@example.com
             */
            readonly email: string;
            /** @example correct horse battery staple */
            readonly password: string;
            readonly name?: string;
        };
        readonly VerifySignUpBody: {
            /** @description From behind `#token=` in the link */
            readonly token: string;
            /** @description The one given at the sign-up */
            readonly password: string;
        };
        readonly SignedUpAnswer: {
            /** Format: uuid */
            readonly userId: string;
        };
        readonly ProfileAnswer: {
            /** Format: uuid */
            readonly userId: string;
            /** Format: uuid */
            readonly accountId: string;
            /** Format: email */
            readonly email: string;
            readonly name: string | null;
            /** @description In which mails are written, by its BCP 47 name; null until a login tells */
            readonly language: string | null;
            /** @enum {string} */
            readonly role: "owner" | "member";
            /** @description What the user was granted; a session may have less, depending on its site */
            readonly granted: {
                readonly payments?: boolean;
                readonly accountSettings?: boolean;
                readonly teamManagement?: boolean;
                readonly dataEntry?: boolean;
                readonly viewReports?: boolean;
            };
            /** @description Origins to log in at; null means all */
            readonly satellites: readonly string[] | null;
            /** Format: date-time */
            readonly createdAt: string;
        };
        readonly ProfileBody: {
            readonly name?: string;
            /**
             * @description In which mails are written, by its BCP 47 name
             * @enum {string}
             */
            readonly language?: "en" | "de";
        };
        readonly EmailChangeBody: {
            /**
             * Format: email
             * @description The new address
             * @example rosa@example.org
             */
            readonly email: string;
        };
        readonly ConfirmEmailBody: {
            /** @description From behind `#token=` in the link */
            readonly token: string;
            /** @description The password of the account; not needed with access token and cookie of a main session of its user */
            readonly password?: string;
        };
        readonly TransferAnswer: {
            /**
             * Format: uuid
             * @description The future owner
             */
            readonly userId: string;
            /** Format: date-time */
            readonly requestedAt: string;
            /**
             * Format: date-time
             * @description The earliest time at which it is done
             */
            readonly readyAt: string;
            /**
             * Format: date-time
             * @description It is cancelled if it has not been accepted by then
             */
            readonly expiresAt: string;
            /** Format: date-time */
            readonly acceptedAt: string | null;
        };
        readonly AccountAnswer: {
            /** Format: uuid */
            readonly accountId: string;
            readonly name: string | null;
            /**
             * @description Who logs in on satellites through the main site only: a password typed there is refused with `HANDOFF_REQUIRED`
             * @enum {string}
             */
            readonly handoffRequired: "none" | "owners" | "everyone";
            /** Format: date-time */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @description Null while no deletion has been requested
             */
            readonly deleteAt: string | null;
            /** @description The pending transfer; null when there is none */
            readonly transfer: components["schemas"]["TransferAnswer"] | null;
        };
        readonly AccountBody: {
            readonly name?: string;
            /**
             * @description Who logs in on satellites through the main site only: a password typed there is refused with `HANDOFF_REQUIRED`
             * @enum {string}
             */
            readonly handoffRequired?: "none" | "owners" | "everyone";
        };
        readonly DeletionAnswer: {
            /** Format: date-time */
            readonly deleteAt: string;
        };
        readonly TransferBody: {
            /**
             * Format: uuid
             * @description A member of the account
             */
            readonly userId: string;
        };
        readonly PolicyAnswer: {
            /**
             * @description Who must have a second factor: who may pay (`payments`); the owner and whoever may pay or manage the account or its team (`managers`); `everyone`
             * @enum {string}
             */
            readonly required: "off" | "payments" | "managers" | "everyone";
            /**
             * Format: date-time
             * @description From when on it counts; null where nothing is required
             */
            readonly requiredFrom: string | null;
            /** @description How many minutes ago a second factor may have been used to spend money; null where none is needed */
            readonly paymentStepUpMinutes: number | null;
            /** @description How many enabled users it concerns */
            readonly covered: number;
            /** @description How many of them have a second factor */
            readonly enrolled: number;
        };
        readonly PolicyBody: {
            /**
             * @description Who must have a second factor: who may pay (`payments`); the owner and whoever may pay or manage the account or its team (`managers`); `everyone`
             * @enum {string}
             */
            readonly required: "off" | "payments" | "managers" | "everyone";
            /** @description From now until it counts; meanwhile everybody works as before. Left out: the date stays as it is while the same is required, otherwise it counts at once */
            readonly graceDays?: number;
            /** @description How many minutes ago a second factor may have been used to spend money; null where none is needed */
            readonly paymentStepUpMinutes: number | null;
        };
        readonly AuditEntry: {
            readonly id: number;
            /** Format: date-time */
            readonly at: string;
            /** @enum {string} */
            readonly action: "login" | "logout" | "refresh" | "handoff.code" | "handoff.redeem" | "handoff.replay" | "reauthenticate" | "session.revoke" | "session.anomaly" | "account.create" | "account.change" | "account.delete" | "account.delete.cancel" | "account.transfer" | "signup" | "email.verify" | "email.change" | "email.undo" | "password.forgot" | "password.reset" | "password.change" | "password.remove" | "factor.add" | "factor.change" | "factor.remove" | "factors.reset" | "recovery-codes.create" | "recovery-code.use" | "passkey.counter" | "device.remember" | "device.forget" | "second-factor.policy" | "profile.change" | "person.export" | "audit.export" | "audit.expire" | "invitation.create" | "invitation.withdraw" | "invitation.accept" | "user.create" | "user.import" | "user.disable" | "user.enable" | "user.remove" | "permissions.change" | "satellites.change" | "satellite.add" | "satellite.change" | "satellite.verify" | "satellite.suspend" | "satellite.resume" | "satellite.move" | "satellite.remove" | "rate.limit" | "mail" | "checkout.create" | "webhook" | "origin" | "billing.forget" | "billing.repair" | "billing.portal" | "billing.surplus.end" | "entitlements.change" | "billing.replay" | "operator.view" | "operator.add" | "operator.disable" | "operator.login" | "operator.logout" | "operator.passkey" | "operator.search";
            /** @enum {string} */
            readonly outcome: "ok" | "failed" | "refused";
            /** Format: uuid */
            readonly userId: string | null;
            /** @description The user's current address, or the one at the time of removal */
            readonly email: string | null;
            /** @description The public handle of the session */
            readonly sid: string | null;
            readonly ip: string | null;
            readonly userAgent: string | null;
            /**
             * @description Null for what was not a request
             * @example Chrome on Windows
             */
            readonly device: string | null;
            readonly origin: string | null;
            readonly requestId: string | null;
            readonly detail: {
                readonly [key: string]: unknown;
            };
        };
        readonly AuditPage: {
            readonly entries: readonly components["schemas"]["AuditEntry"][];
            /** @description E-mail addresses by user id, for every user named in the entries (`userId`, and `detail.by`) */
            readonly people: {
                readonly [key: string]: string;
            };
            /** @description For `after`; null on the last page. With a filter, a page can be short or empty and have one */
            readonly next: string | null;
        };
        readonly LoginEntry: {
            /** Format: date-time */
            readonly at: string;
            /** @enum {string} */
            readonly outcome: "ok" | "failed";
            /** @enum {string|null} */
            readonly source: "main" | "satellite" | null;
            readonly origin: string | null;
            readonly ip: string | null;
            /** @example Chrome on Windows */
            readonly device: string;
            /** @description The public handle of the session that it opened */
            readonly sid: string | null;
        };
        readonly LoginPage: {
            /** @description Whether these are all; a satellite is shown its own only, unless the user has re-authenticated */
            readonly complete: boolean;
            readonly logins: readonly components["schemas"]["LoginEntry"][];
            /** @description For `after`; null on the last page. A page can be short or empty and have one */
            readonly next: string | null;
        };
        readonly DataAnswer: {
            /** Format: uuid */
            readonly userId: string;
            /** Format: uuid */
            readonly accountId: string;
            /**
             * @example {
             *       "payments": false,
             *       "accountSettings": false,
             *       "teamManagement": false,
             *       "dataEntry": true,
             *       "viewReports": true
             *     }
             */
            readonly permissions: {
                readonly payments?: boolean;
                readonly accountSettings?: boolean;
                readonly teamManagement?: boolean;
                readonly dataEntry?: boolean;
                readonly viewReports?: boolean;
            };
        };
        readonly HealthAnswer: {
            /** @example ok */
            readonly status: string;
        };
        readonly PartAnswer: {
            /** @enum {string} */
            readonly state: "up" | "down";
            /**
             * Format: date-time
             * @description Since when it has been in this state
             */
            readonly since: string;
        };
        readonly PartsAnswer: {
            readonly database: components["schemas"]["PartAnswer"];
            readonly sessionStore: components["schemas"]["PartAnswer"];
        };
        readonly StatusAnswer: {
            /** @enum {string} */
            readonly status: "ok" | "degraded";
            readonly parts: components["schemas"]["PartsAnswer"];
        };
        readonly Problem: {
            /** Format: uri */
            readonly type: string;
            /** @description The fixed sentence of the code */
            readonly title: string;
            readonly status: number;
            readonly detail: string;
            /** @description Stable: part of the API */
            readonly code: string;
            /**
             * Format: uuid
             * @description Quote it to support
             */
            readonly requestId: string;
            /** @description What is wrong with which field of the body */
            readonly errors?: readonly {
                readonly field: string;
                readonly message: string;
            }[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readonly JwksController_list: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The keys */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["JwksAnswer"];
                };
            };
        };
    };
    readonly ActiveSessionsController_list: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The live sessions */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SessionsAnswer"];
                };
            };
        };
    };
    readonly ActiveSessionsController_endOthers: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Ended */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["EndedAnswer"];
                };
            };
        };
    };
    readonly ActiveSessionsController_end: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description As listed */
                readonly sid: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Ended; if it was the caller's own, the main site's cookie is cleared too */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly LoginController_login: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["LoginBody"];
            };
        };
        readonly responses: {
            /** @description Logged in */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["LoginAnswer"];
                };
            };
        };
    };
    readonly LoginController_logout: {
        readonly parameters: {
            readonly query?: {
                /** @description On the main site: whether the sessions of satellites end too that this one was handed on to, or only this one (`here`) */
                readonly scope?: "browser" | "here";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Logged out; on the main site the cookie is cleared */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly SecondFactorController_complete: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["SecondFactorBody"];
            };
        };
        readonly responses: {
            /** @description Logged in, as by `POST /api/login` */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["LoginAnswer"];
                };
            };
        };
    };
    readonly PasskeyLoginController_options: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The options */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PasskeyOptionsAnswer"];
                };
            };
        };
    };
    readonly PasskeyLoginController_login: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["PasskeyLoginBody"];
            };
        };
        readonly responses: {
            /** @description Logged in */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["LoginAnswer"];
                };
            };
        };
    };
    readonly RelatedOriginsController_list: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The origins */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RelatedOriginsAnswer"];
                };
            };
        };
    };
    readonly HandoffController_describe: {
        readonly parameters: {
            readonly query: {
                /** @description The origin of the satellite */
                readonly satellite: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The satellite, and whether this user may use it */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HandoffDestinationAnswer"];
                };
            };
        };
    };
    readonly HandoffController_requireSatellite: {
        readonly parameters: {
            readonly query: {
                readonly origin: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OriginAnswer"];
                };
            };
        };
    };
    readonly HandoffController_issueCode: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["HandoffBody"];
            };
        };
        readonly responses: {
            /** @description Where to send the browser */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HandoffAnswer"];
                };
            };
        };
    };
    readonly HandoffController_redeem: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["RedeemBody"];
            };
        };
        readonly responses: {
            /** @description Logged in */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["LoginAnswer"];
                };
            };
        };
    };
    readonly UnrecognizedLoginController_report: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["MailedLinkBody"];
            };
        };
        readonly responses: {
            /** @description The user is logged out everywhere; the mail with the link for a new password is on its way */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly PasswordController_forgot: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["PasswordForgotBody"];
            };
        };
        readonly responses: {
            /** @description If there is such a user, the mail is on its way */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly PasswordController_reset: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["PasswordResetBody"];
            };
        };
        readonly responses: {
            /** @description The new password is set */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PasswordResetAnswer"];
                };
            };
        };
    };
    readonly PasswordController_change: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["PasswordChangeBody"];
            };
        };
        readonly responses: {
            /** @description The new password is set */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly ReauthenticationController_list: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The methods */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ReauthenticationMethodsAnswer"];
                };
            };
        };
    };
    readonly ReauthenticationController_reauthenticate: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ReauthenticateBody"];
            };
        };
        readonly responses: {
            /** @description The proof is right */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ReauthenticationAnswer"];
                };
            };
        };
    };
    readonly RefreshController_refresh: {
        readonly parameters: {
            readonly query?: {
                /** @description A request that names no session is answered 204 instead of 401: browsers log every 401 as an error. */
                readonly optional?: "true";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A new access token */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RefreshAnswer"];
                };
            };
            /** @description With `optional=true`: the request names no session */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly SecondFactorOverviewController_show: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Their second factors, and whether they have to have one */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SecondFactorAnswer"];
                };
            };
        };
    };
    readonly TotpController_begin: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The secret, which is not shown again */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TotpSecretAnswer"];
                };
            };
        };
    };
    readonly TotpController_remove: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description There is none any more */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly TotpController_confirm: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["TotpCodeBody"];
            };
        };
        readonly responses: {
            /** @description The app is set up */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["NewRecoveryCodesAnswer"];
                };
            };
        };
    };
    readonly RecoveryCodesController_replace: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The codes */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RecoveryCodesAnswer"];
                };
            };
        };
    };
    readonly RememberedDevicesController_list: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description At most 20 */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RememberedDevicesAnswer"];
                };
            };
        };
    };
    readonly RememberedDevicesController_forgetAll: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description None is remembered any more; the cookie of this one is cleared */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly RememberedDevicesController_forget: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is not remembered any more */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly PasskeysController_list: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The passkeys, oldest first */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PasskeysAnswer"];
                };
            };
        };
    };
    readonly PasskeysController_add: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewPasskeyBody"];
            };
        };
        readonly responses: {
            /** @description The passkey is added, and the user is told by mail */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PasskeyAddedAnswer"];
                };
            };
        };
    };
    readonly PasskeysController_options: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The options */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CreationOptionsAnswer"];
                };
            };
        };
    };
    readonly PasskeysController_remove: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The passkey is removed, and the user is told by mail */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PasskeyRemovedAnswer"];
                };
            };
        };
    };
    readonly PasskeysController_rename: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["PasskeyNameBody"];
            };
        };
        readonly responses: {
            /** @description The passkey with its new name */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PasskeyAnswer"];
                };
            };
        };
    };
    readonly PasswordRemovalController_remove: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The user has no password any more, and is told by mail */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly SatellitesController_list: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description All of them, with what proves each */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SatellitesAnswer"];
                };
            };
        };
    };
    readonly SatellitesController_add: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["SatelliteBody"];
            };
        };
        readonly responses: {
            /** @description Added; `proof` says what to publish */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SatelliteAnswer"];
                };
            };
        };
    };
    readonly SatellitesController_find: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The satellite */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SatelliteAnswer"];
                };
            };
        };
    };
    readonly SatellitesController_remove: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Removed */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly SatellitesController_change: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["SatelliteChangeBody"];
            };
        };
        readonly responses: {
            /** @description The changed satellite */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SatelliteAnswer"];
                };
            };
        };
    };
    readonly SatellitesController_verify: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The active satellite */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SatelliteAnswer"];
                };
            };
        };
    };
    readonly SatellitesController_suspend: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Suspended */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly SatellitesController_resume: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The active satellite */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SatelliteAnswer"];
                };
            };
        };
    };
    readonly InvitationsController_list: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Invitations that have not been accepted, withdrawn, replaced or expired */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InvitationsAnswer"];
                };
            };
        };
    };
    readonly InvitationsController_invite: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["InvitationBody"];
            };
        };
        readonly responses: {
            /** @description The mail is on its way */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InvitedAnswer"];
                };
            };
        };
    };
    readonly InvitationsController_resend: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The mail is on its way */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InvitedAnswer"];
                };
            };
        };
    };
    readonly InvitationsController_withdraw: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The link no longer works */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly AcceptInvitationController_accept: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["AcceptInvitationBody"];
            };
        };
        readonly responses: {
            /** @description The member may log in */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AcceptedAnswer"];
                };
            };
        };
    };
    readonly TeamSatellitesController_list: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The account's own, oldest first, then those that every account may use */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TeamSatellitesAnswer"];
                };
            };
        };
    };
    readonly MembersController_list: {
        readonly parameters: {
            readonly query?: {
                readonly limit?: number;
                /** @description `next` of the previous page */
                readonly after?: string;
                /** @description Only those whose name or e-mail address contains this, in upper or lower case */
                readonly q?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of everybody, owner and disabled members included */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TeamAnswer"];
                };
            };
        };
    };
    readonly MembersController_find: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly userId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description As in the list */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TeamMemberAnswer"];
                };
            };
        };
    };
    readonly MembersController_remove: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly userId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The member is gone; what they did stays in the audit log */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly MembersController_setPermissions: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly userId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["PermissionsBody"];
            };
        };
        readonly responses: {
            /** @description The member has exactly these permissions */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly MembersController_setSatellites: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly userId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["SatellitesBody"];
            };
        };
        readonly responses: {
            /** @description The member may log in at these satellites only; null means everywhere */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly MembersController_disable: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly userId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The member is disabled */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly MembersController_enable: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly userId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The member may log in */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly TeamSessionsController_list: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly userId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The live sessions */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MemberSessionsAnswer"];
                };
            };
        };
    };
    readonly TeamSessionsController_endAll: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly userId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Ended */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["EndedMemberSessionsAnswer"];
                };
            };
        };
    };
    readonly TeamSessionsController_end: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly userId: string;
                readonly sid: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Ended */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly FactorResetController_request: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly userId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It has been requested */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["FactorResetAnswer"];
                };
            };
        };
    };
    readonly FactorResetController_cancel: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly userId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It has been cancelled */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly FactorResetLinksController_confirm: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["MailedLinkBody"];
            };
        };
        readonly responses: {
            /** @description They have been removed */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly FactorResetLinksController_stop: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["MailedLinkBody"];
            };
        };
        readonly responses: {
            /** @description They stay */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly BillingController_create: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["CreateSubscriptionBody"];
            };
        };
        readonly responses: {
            /** @description A page is open */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CheckoutAnswer"];
                };
            };
        };
    };
    readonly BillingController_openPortal: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["PortalBody"];
            };
        };
        readonly responses: {
            /** @description The page is open, for some minutes */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PortalAnswer"];
                };
            };
        };
    };
    readonly BillingController_read: {
        readonly parameters: {
            readonly query?: {
                /** @description The `checkout` parameter that the browser came back with, or the provider's id of the checkout */
                readonly checkout?: string;
                /** @description The `portal` parameter that the browser came back with */
                readonly portal?: "closed";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The subscription; status `none` when there never was one */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SubscriptionAnswer"];
                };
            };
        };
    };
    readonly InvoicesController_list: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The invoices */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InvoicesAnswer"];
                };
            };
        };
    };
    readonly PlansController_list: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The plans, the default one first */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PlansAnswer"];
                };
            };
        };
    };
    readonly WebhookController_receive: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Stored, or was already */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookAnswer"];
                };
            };
        };
    };
    readonly SignUpController_signUp: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["SignUpBody"];
            };
        };
        readonly responses: {
            /** @description A mail is on its way */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly SignUpController_verify: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["VerifySignUpBody"];
            };
        };
        readonly responses: {
            /** @description The account has been created */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SignedUpAnswer"];
                };
            };
        };
    };
    readonly ProfileController_read: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Who is logged in */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ProfileAnswer"];
                };
            };
        };
    };
    readonly ProfileController_change: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ProfileBody"];
            };
        };
        readonly responses: {
            /** @description The profile as it is now */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ProfileAnswer"];
                };
            };
        };
    };
    readonly ProfileController_export: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The export */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": Record<string, never>;
                };
            };
        };
    };
    readonly EmailChangeController_change: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["EmailChangeBody"];
            };
        };
        readonly responses: {
            /** @description A mail is on its way */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly EmailChangeController_confirm: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ConfirmEmailBody"];
            };
        };
        readonly responses: {
            /** @description The address is changed */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly EmailChangeController_undo: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["MailedLinkBody"];
            };
        };
        readonly responses: {
            /** @description The old address is back */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly AccountController_read: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The account */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AccountAnswer"];
                };
            };
        };
    };
    readonly AccountController_change: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["AccountBody"];
            };
        };
        readonly responses: {
            /** @description The account as it is now */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AccountAnswer"];
                };
            };
        };
    };
    readonly AccountDeletionController_request: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is going to be deleted */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DeletionAnswer"];
                };
            };
        };
    };
    readonly AccountDeletionController_cancel: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The deletion is cancelled */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly TransferController_request: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["TransferBody"];
            };
        };
        readonly responses: {
            /** @description The transfer is pending */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TransferAnswer"];
                };
            };
        };
    };
    readonly TransferController_cancel: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is cancelled; both are told by mail */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly TransferController_accept: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["MailedLinkBody"];
            };
        };
        readonly responses: {
            /** @description Accepted; the transfer is done at `readyAt` at the earliest */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TransferAnswer"];
                };
            };
        };
    };
    readonly TransferController_stop: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["MailedLinkBody"];
            };
        };
        readonly responses: {
            /** @description The transfer is cancelled */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly SecondFactorPolicyController_read: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What it requires, and how many users have what it takes */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PolicyAnswer"];
                };
            };
        };
    };
    readonly SecondFactorPolicyController_change: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["PolicyBody"];
            };
        };
        readonly responses: {
            /** @description What it requires from now on */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PolicyAnswer"];
                };
            };
        };
    };
    readonly AuditController_list: {
        readonly parameters: {
            readonly query?: {
                /** @description Only entries that concern this user */
                readonly user?: string;
                readonly action?: "login" | "logout" | "refresh" | "handoff.code" | "handoff.redeem" | "handoff.replay" | "reauthenticate" | "session.revoke" | "session.anomaly" | "account.create" | "account.change" | "account.delete" | "account.delete.cancel" | "account.transfer" | "signup" | "email.verify" | "email.change" | "email.undo" | "password.forgot" | "password.reset" | "password.change" | "password.remove" | "factor.add" | "factor.change" | "factor.remove" | "factors.reset" | "recovery-codes.create" | "recovery-code.use" | "passkey.counter" | "device.remember" | "device.forget" | "second-factor.policy" | "profile.change" | "person.export" | "audit.export" | "audit.expire" | "invitation.create" | "invitation.withdraw" | "invitation.accept" | "user.create" | "user.import" | "user.disable" | "user.enable" | "user.remove" | "permissions.change" | "satellites.change" | "satellite.add" | "satellite.change" | "satellite.verify" | "satellite.suspend" | "satellite.resume" | "satellite.move" | "satellite.remove" | "rate.limit" | "mail" | "checkout.create" | "webhook" | "origin" | "billing.forget" | "billing.repair" | "billing.portal" | "billing.surplus.end" | "entitlements.change" | "billing.replay" | "operator.view" | "operator.add" | "operator.disable" | "operator.login" | "operator.logout" | "operator.passkey" | "operator.search";
                readonly outcome?: "ok" | "failed" | "refused";
                /** @description Not before this time */
                readonly from?: string;
                /** @description Before this time */
                readonly to?: string;
                readonly limit?: number;
                /** @description `next` of the previous page */
                readonly after?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AuditPage"];
                };
            };
        };
    };
    readonly AuditController_export: {
        readonly parameters: {
            readonly query?: {
                /** @description Only entries that concern this user */
                readonly user?: string;
                readonly action?: "login" | "logout" | "refresh" | "handoff.code" | "handoff.redeem" | "handoff.replay" | "reauthenticate" | "session.revoke" | "session.anomaly" | "account.create" | "account.change" | "account.delete" | "account.delete.cancel" | "account.transfer" | "signup" | "email.verify" | "email.change" | "email.undo" | "password.forgot" | "password.reset" | "password.change" | "password.remove" | "factor.add" | "factor.change" | "factor.remove" | "factors.reset" | "recovery-codes.create" | "recovery-code.use" | "passkey.counter" | "device.remember" | "device.forget" | "second-factor.policy" | "profile.change" | "person.export" | "audit.export" | "audit.expire" | "invitation.create" | "invitation.withdraw" | "invitation.accept" | "user.create" | "user.import" | "user.disable" | "user.enable" | "user.remove" | "permissions.change" | "satellites.change" | "satellite.add" | "satellite.change" | "satellite.verify" | "satellite.suspend" | "satellite.resume" | "satellite.move" | "satellite.remove" | "rate.limit" | "mail" | "checkout.create" | "webhook" | "origin" | "billing.forget" | "billing.repair" | "billing.portal" | "billing.surplus.end" | "entitlements.change" | "billing.replay" | "operator.view" | "operator.add" | "operator.disable" | "operator.login" | "operator.logout" | "operator.passkey" | "operator.search";
                readonly outcome?: "ok" | "failed" | "refused";
                /** @description Not before this time */
                readonly from?: string;
                /** @description Before this time */
                readonly to?: string;
                /** @description `ocsf`: events of the Open Cybersecurity Schema Framework 1.3.0 */
                readonly format?: "jsonl" | "ocsf";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The rows that the filter lets through */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/x-ndjson": string;
                };
            };
        };
    };
    readonly LoginsController_list: {
        readonly parameters: {
            readonly query?: {
                readonly limit?: number;
                /** @description `next` of the previous page */
                readonly after?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["LoginPage"];
                };
            };
        };
    };
    readonly DataController_read: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What the access token says */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DataAnswer"];
                };
            };
        };
    };
    readonly HealthController_live: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HealthAnswer"];
                };
            };
        };
    };
    readonly HealthController_ready: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Yes: it has started and is not stopping */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HealthAnswer"];
                };
            };
        };
    };
    readonly HealthController_status: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Each part with its state, also while one is down */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["StatusAnswer"];
                };
            };
        };
    };
}
