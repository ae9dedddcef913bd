/** The texts of a mail in one language, with `{values}` in ICU MessageFormat. */
interface MailMessage {
  readonly subject: string
  /** A paragraph that is empty once its values are filled in is left out. */
  readonly paragraphs: readonly string[]
  /** The label of the button. */
  readonly action?: string
  readonly footnote?: string
}

/** All texts of mails in one language. */
interface MailMessages {
  /** How dates, times and lists are formatted, as a BCP 47 tag. */
  readonly locale: string
  readonly mails: Readonly<Record<string, MailMessage>>
  /** Phrases that mails are composed of. */
  readonly phrases: Readonly<Record<string, string>>
}

export const en = {
  locale: 'en-GB',
  mails: {
    signUp: {
      subject: 'Confirm your e-mail address for {site}',
      paragraphs: [
        'Thank you for signing up at {site}. One step is left: follow the link below within 24 hours and enter the password that you chose.',
        'If you have forgotten it, just sign up again.',
      ],
      action: 'Confirm this e-mail address',
      footnote: 'If this was not you, ignore this e-mail: no account will be created.',
    },
    knownAddress: {
      subject: 'You already have an account at {site}',
      paragraphs: [
        'This e-mail address was just used to sign up at {site}, but you already have an account there. Nothing has changed.',
        'If you know your password, log in at {frontPage} as usual. If you have forgotten it, choose a new one:',
      ],
      action: 'Choose a new password',
      footnote: 'If this was not you, ignore this e-mail: nobody was told that you have an account.',
    },
    confirmEmail: {
      subject: 'Confirm your new e-mail address for {site}',
      paragraphs: [
        'We were asked to use this e-mail address for an account at {site}.',
        'To confirm, follow the link below within 24 hours. Use the browser in which you asked for the change, or have your password at hand. From then on you log in with this address.',
      ],
      action: 'Use this e-mail address',
      footnote: 'If this was not you, ignore this e-mail: no account will use this address.',
    },
    addressInUse: {
      subject: 'You already have an account at {site}',
      paragraphs: [
        'We were asked to use this e-mail address for an account at {site}, but another account already uses it. Nothing has changed.',
        'You can change the address of that account first, or choose a different one.',
      ],
      action: 'Go to {site}',
      footnote: 'If this was not you, ignore this e-mail: nobody was told that you have an account.',
    },
    emailChanged: {
      subject: 'Your e-mail address for {site} has been changed',
      paragraphs: [
        'The e-mail address of your account at {site} has been changed. You now log in with the new address, and e-mails about the account go there.',
        'If this was not you, follow the link below within 7 days. It restores this address and ends all sessions; then you choose a new password.',
      ],
      action: 'This was not me',
      footnote: 'If it was you, you do not need to do anything.',
    },
    emailRestored: {
      subject: 'Your e-mail address for {site} has been restored',
      paragraphs: [
        'Your account at {site} uses its previous e-mail address again. You log in with that one, and e-mails about the account go there.',
      ],
      footnote: 'If this was not you, request a new password with the previous address.',
    },
    resetPassword: {
      subject: 'Choose a new password for {site}',
      paragraphs: [
        'We were asked for a new password for your account at {site}. Use the link below to choose one.',
        'It works once and expires after 30 minutes.',
      ],
      action: 'Choose a new password',
      footnote: 'If this was not you, ignore this e-mail: your password stays as it is.',
    },
    passwordChanged: {
      subject: 'Your password for {site} has been changed',
      paragraphs: [
        'Your account at {site} has a new password. You have been logged out everywhere else. If your e-mail address was about to change, or the account about to be transferred, that has been cancelled.',
        'If this was you, everything is fine. If not, use the link “This was not me” in an earlier e-mail, if you have one. Otherwise choose a new password now: we will send the link to this address.',
      ],
      action: 'Choose a new password',
    },
    passwordChangedAtEarlierAddress: {
      subject: 'Your password for {site} has been changed',
      paragraphs: [
        'Your account at {site} has a new password. You have been logged out everywhere else. If your e-mail address was about to change, or the account about to be transferred, that has been cancelled.',
        'If this was you, everything is fine. If not, open our e-mail “{emailChanged}” and follow its link “This was not me”: it restores this address and ends all sessions.',
      ],
      footnote: 'We also write to this earlier address for as long as your account can return to it.',
    },
    invitation: {
      subject: 'You have been invited to a team at {site}',
      paragraphs: [
        '{introduction}',
        'You will have access to {sites}.',
        'To join, choose a password with the link below. It works once and expires after {days} days.',
      ],
      action: 'Join the team',
      footnote:
        'If you do not know who invited you, ignore this e-mail: nobody can join in your name without the link.',
    },
    invitationOfUser: {
      subject: 'You have been invited to a team at {site}',
      paragraphs: [
        '{introduction}',
        'This e-mail address already has an account here, and an address can belong to one account only. To join the team, ask to be invited with another address.',
      ],
      footnote:
        'You do not need to do anything: your account stays as it is, and the team is not told about it.',
    },
    factorResetRequested: {
      subject: 'Your second factors at {site} will be removed',
      paragraphs: [
        '{claim}',
        'On {day} at {time} UTC all of them will be removed, with your recovery codes, and you will be logged out everywhere. {login}',
        'If you asked for this, you can have it done now with the link below. If you did not, stop it there.',
      ],
      action: 'Review the request',
      footnote:
        'If you did not ask for this, also speak to your team, and change your password if you have one.',
    },
    factorResetDone: {
      subject: 'Your second factors at {site} have been removed',
      paragraphs: [
        'Your account at {site} has no authenticator app, passkey or recovery code any more, and you have been logged out everywhere. {login}',
      ],
      action: 'Go to {site}',
      footnote: '{otherwise}',
    },
    policyChanged: {
      subject: 'New rules about second factors at {site}',
      paragraphs: [
        'Someone who may change the settings of your account at {site} has changed the rules about second factors.',
        '{whom}',
        '{payments}',
      ],
      action: 'Go to {site}',
      footnote: 'Your account settings show who has set one up. If you did not expect this, look there now.',
    },
    paymentFailed: {
      subject: 'A payment for your plan at {site} has failed',
      paragraphs: [
        'We could not collect a payment for the plan of your account at {site}. You keep the plan for now.',
        'Please pay, or use another card, before {day} at {time} UTC. Otherwise your account loses what the plan includes from then on; nothing is deleted.',
      ],
      action: 'Pay now',
    },
    planLost: {
      subject: 'Your account at {site} no longer has its plan',
      paragraphs: ['{why}', 'Your account no longer has what the plan includes. Nothing has been deleted.'],
      action: 'Go to billing',
    },
    handoffLoosened: {
      subject: 'New rules for logging in on your satellites',
      paragraphs: [
        'Someone who may change the settings of your account at {site} has changed how people log in on your satellites.',
        '{whom}',
        'The server of such a satellite sees the passwords that are typed there.',
      ],
      action: 'Go to your satellites',
      footnote:
        'If you did not expect this, change it back on that page, and change your password if you have one: someone may know it.',
    },
    deletionRequested: {
      subject: 'Your account at {site} will be deleted',
      paragraphs: [
        'The owner has asked us to delete your account at {site} and everything in it. This will happen on {day} (UTC) at the earliest.',
        'Until then everything works as usual, and the owner can still cancel the deletion.',
      ],
      action: 'Go to {site}',
      footnote:
        'If you are the owner and did not ask for this, cancel the deletion now, and change your password if you have one.',
    },
    deletionCancelled: {
      subject: 'Your account at {site} will not be deleted',
      paragraphs: ['The deletion of your account at {site} has been cancelled.'],
      action: 'Go to {site}',
    },
    deleted: {
      subject: 'Your account at {site} has been deleted',
      paragraphs: [
        'At its owner’s request, your account at {site} has been deleted with everything in it. Nobody can log in to it any longer.',
      ],
    },
    transferRequested: {
      subject: 'Request to transfer your account at {site}',
      paragraphs: [
        'We were asked to transfer your account at {site} to one of its members. They have to accept first, and nothing changes before {day} (UTC).',
        'If this was not you, stop the transfer with the link below, and change your password if you have one.',
      ],
      action: 'Stop the transfer',
      footnote:
        'If it was you, you do not need to do anything. You can also cancel the transfer in your account settings.',
    },
    transferAccepted: {
      subject: 'Your account at {site} will soon have a new owner',
      paragraphs: [
        'The member who is to take over your account at {site} has accepted. They become the owner, and you become a member, on {day} (UTC) at the earliest.',
        'If you do not want this, stop it with the link below. If you did not ask for it, also change your password if you have one.',
      ],
      action: 'Stop the transfer',
      footnote: 'If this is what you want, you do not need to do anything.',
    },
    transferOffer: {
      subject: 'Will you take over your team’s account at {site}?',
      paragraphs: [
        'The owner of your account at {site} wants to hand it over to you. You would be in charge of payments, settings and the team.',
        'To accept, follow the link below within 7 days. You become the owner on {day} (UTC) at the earliest.',
      ],
      action: 'Accept ownership',
      footnote: 'If you do not want this, ignore this e-mail: nothing changes unless you accept.',
    },
    transferCancelled: {
      subject: 'Your account at {site} will not be transferred',
      paragraphs: ['The transfer of your account at {site} has been cancelled. Its owner stays the same.'],
      action: 'Go to {site}',
    },
    transferOfferWithdrawn: {
      subject: 'Your team’s account at {site} will not be transferred to you',
      paragraphs: [
        'We had asked you to take over your team’s account at {site}. This is no longer planned, and the link in our earlier e-mail has stopped working.',
        'You do not need to do anything.',
      ],
    },
    becameMember: {
      subject: 'Your account at {site} has a new owner',
      paragraphs: [
        'One of its members has taken over your account at {site}, and you are now a member.',
        'The new owner decides what you may do there.',
      ],
      action: 'Go to {site}',
      footnote:
        'If you did not ask for this, contact us, and change your password if you have one: someone may know it.',
    },
    becameOwner: {
      subject: 'You are now the owner of your account at {site}',
      paragraphs: [
        'You now have every permission in the account at {site}: payments, settings and the team.',
        '{deletion}',
      ],
      action: 'Go to {site}',
    },
    memberJoined: {
      subject: '{member} has joined your account at {site}',
      paragraphs: [
        '{member} has accepted the invitation from {by} to your account at {site}, and may now {powers}.',
      ],
      action: 'Go to {site}',
      footnote:
        'If you expected this, you do not need to do anything. If not, disable them on your team page, and change your password if you have one: someone may know it.',
    },
    memberGained: {
      subject: '{member} may do more in your account at {site}',
      paragraphs: ['{by} has changed what {member} may do in your account at {site}. They may now {powers}.'],
      action: 'Go to {site}',
      footnote:
        'If you expected this, you do not need to do anything. If not, disable them on your team page, and change your password if you have one: someone may know it.',
    },
    memberRemoved: {
      subject: '{member} has been removed from your account at {site}',
      paragraphs: [
        '{by} has removed {member} from your account at {site}. They had been given permission to {powers}.',
      ],
      action: 'Go to {site}',
      footnote:
        'If you expected this, you do not need to do anything. If not, you can invite them again on your team page. Also change your password if you have one: someone may know it.',
    },
    removedFromTeam: {
      subject: 'You have been removed from a team at {site}',
      paragraphs: [
        '{removal}',
        'You have been logged out everywhere, and can no longer log in with this e-mail address.',
      ],
      footnote: 'If you think that this is a mistake, ask your team to invite you again.',
    },
    membersDisabled: {
      subject: 'Members of your team have been disabled',
      paragraphs: [
        '{inviter} has told us that someone else used their login. We have disabled everyone who was invited or given more permissions with it during that time: {members}.',
        'If you know them, you can enable them again on your team page.',
      ],
      action: 'Go to {site}',
    },
    satelliteActivated: {
      subject: '{host} is now a satellite of your account',
      paragraphs: [
        '{by} activated {host} as a satellite of your account at {site}, on {day} at {time} UTC. Your users can now log in there.',
      ],
      action: 'Go to your satellites',
      footnote:
        'If you or a colleague wanted this, you do not need to do anything. If not, suspend the satellite on that page, and change your password if you have one: someone may know it.',
    },
    satellitesClosed: {
      subject: 'Satellites of your account have been suspended',
      paragraphs: [
        '{user} has told us that someone else used their login. We have suspended the satellites that were activated with it during that time: {satellites}. Nobody can log in there.',
        'If you know these sites, you can resume them on your satellites page.',
      ],
      action: 'Go to {site}',
    },
    notice: {
      subject: '{subject}',
      paragraphs: ['{opening}', '{circumstances}', '{advice}'],
      action: 'This was not me',
      footnote:
        'The link works once and expires after 7 days. It logs you out everywhere, and we will e-mail you another one for choosing a new password.',
    },
    noticeAtEarlierAddress: {
      subject: '{subject}',
      paragraphs: [
        '{opening}',
        '{circumstances}',
        '{advice}',
        'If this was not you, open our e-mail “{emailChanged}” and follow its link “This was not me”: it restores this address and ends all sessions.',
      ],
      footnote: 'We also write to this earlier address for as long as your account can return to it.',
    },
    proofMissing: {
      subject: 'The proof for {host} was not found',
      paragraphs: [
        'Every day we check that the host of your satellite {name} is still yours. This time the proof was not there. Please put it back:',
        '{place}',
        '{consequence}',
      ],
      action: 'Go to {site}',
    },
    satelliteSuspended: {
      subject: 'Your satellite {host} has been suspended',
      paragraphs: [
        'For 7 days we have not found the proof that the host of your satellite {name} is yours, so it has been suspended. Nobody can log in there.',
        '{place}',
        'Once it is there again, you can resume the satellite. Until then anyone who proves that the host is theirs can claim it.',
      ],
      action: 'Go to {site}',
    },
    proofsMissing: {
      subject: 'The proofs for {count} hosts were not found',
      paragraphs: [
        'Every day we check that the hosts of your satellites are still yours. This time these proofs were not there. Please put them back.',
      ],
      action: 'Go to {site}',
    },
    satelliteMoved: {
      subject: '{host} is now a satellite of another account',
      paragraphs: [
        'Another account has proven that the host of your satellite {name} is theirs, and your own proof was no longer there. Your users cannot log in there any more, and all their sessions there have ended.',
        'If the host is yours, find out who can change its DNS records or its files. Then verify your satellite again.',
      ],
      action: 'Go to {site}',
    },
  },
  phrases: {
    'layout.copyAddress': 'If the button does not work, copy this address:',
    'layout.questions': 'Questions? We are glad to help:',
    'layout.sentBy': 'Sent by {host}',
    'layout.sentByName': 'Sent by {name}, {host}',

    'invitation.toTeam': '{inviter} has invited you to their team at {site}.',
    'invitation.toNamedTeam': '{inviter} has invited you to the team “{team}” at {site}.',
    'invitation.allSites': 'all of the team’s sites',
    'invitation.someSites': 'some of the team’s sites',

    'becameOwner.deletion':
      'Its previous owner has requested its deletion: on {day} (UTC) it will be deleted with everything in it. If you want to keep it, cancel the deletion in your account settings.',

    'power.payments': 'make payments',
    'power.accountSettings': 'change the account settings',
    'power.teamManagement': 'manage the team',
    'team.others': '{count, plural, one {# other} other {# others}}',

    'removal.fromTeam': 'You have been removed from your team at {site}.',
    'removal.fromNamedTeam': 'You have been removed from the team “{team}” at {site}.',

    'satellite.others': '{count, plural, one {# other} other {# others}}',
    'satellite.alsoClosed':
      'We have also suspended the satellites that were activated during that time: {satellites}. If you know these sites, you can resume them on your satellites page.',

    'factorReset.byManager':
      'Someone who manages your team at {site} says that you have lost your authenticator app or passkeys.',
    'factorReset.byOperator':
      'Someone told us that you have lost your authenticator app or passkeys. If you have not, log in with one of them: then nothing will be removed.',
    'factorReset.whileDisabled':
      'We have disabled your login. Someone told us that your authenticator app or passkeys are lost or not yours.',

    'factorReset.passwordAlone':
      'Your password alone will then be enough to log in, also for anyone else who knows it.',
    'factorReset.noPassword':
      'You have no password, so you will need one to log in: use the link “Forgot your password?” on the login page.',
    'factorReset.logIn': 'Log in with your password, and set up new ones.',
    'factorReset.choosePassword':
      'Choose a password with the link “Forgot your password?” on the login page, log in with it, and set up new ones.',
    'factorReset.changePassword':
      'If you did not ask for this, change your password now, with the link “Forgot your password?” on the login page, and contact us.',
    'factorReset.setPassword':
      'If you did not ask for this, choose that password now, before someone else does, and contact us.',

    'policy.off': 'Nobody needs a second factor.',
    'policy.payments': 'Everyone who can make payments must have a second factor{from}',
    'policy.managers':
      'The owner and everyone who can pay or manage the account or its team must have a second factor{from}',
    'policy.everyone': 'Everyone must have a second factor{from}',
    'policy.from': ' from {day} (UTC). Those without one can then do nothing but set one up.',
    'policy.payWithout': 'Payments need no second factor.',
    'policy.payWith':
      'Payments need a second factor that was used in the last {minutes, plural, one {minute} other {# minutes}}.',

    'handoff.owners':
      'Only the owner still has to log in through the main site. Everyone else may type their password on satellites that allow it.',
    'handoff.none': 'Everyone, including the owner, may now type their password on satellites that allow it.',

    'notice.circumstances': 'Device: {device}\nTime: {day}, {time} UTC',
    'notice.circumstancesWithPlace': 'Device: {device}\nPlace: in or near {place}\nTime: {day}, {time} UTC',
    'notice.ip': 'IP address: {ip}',
    'notice.unknownDevice': 'unknown device',
    'notice.deviceOnSystem': '{app} on {system}',
    'notice.nothingToDo': 'If this was you, you do not need to do anything.',
    'notice.logInAsUsual':
      'If this was you, log in from a device and a place that you usually use, or try again later.',

    'newDevice.subject': 'New login at {site}: {device}',
    'newDevice.opening':
      'Someone has just logged in to your account at {site} from a device that you have not used before.',
    'newDevice.refused':
      'Someone entered the correct password for your account at {site} from a device that you have not used before.',
    'unusualLogin.subject': 'Unusual login at {site}',
    'unusualLogin.opening':
      'Someone has just logged in to your account at {site} from a place where you do not usually log in.',
    'unusualLogin.refused':
      'Someone entered the correct password for your account at {site} from a place where you do not usually log in.',
    'refusedLogin.subject': 'Login refused at {site}',
    'refusedLogin.subjectWithDevice': 'Login refused at {site}: {device}',
    'refusedLogin.unusual': 'The login was refused. {advice}',
    'refusedLogin.handoffRequired':
      'The login was refused, because you can log in only through our main site. If this was you, log in there.',
    'refusedLogin.wrongCode':
      'Someone entered the correct password for your account at {site}, and then a wrong code.',
    'refusedLogin.passwordKnown':
      'The login was refused. If this was you, you do not need to do anything. If not, choose a new password: someone knows yours.',
    'unusualUse.subject': 'Unusual activity at {site}',
    'unusualUse.opening': 'A session of yours at {site} was suddenly used from another device or place.',
    'unusualUse.ended':
      'A session of yours at {site} was suddenly used from another device or place. We have ended that session.',

    'factors.wrongInSession': 'Wrong code at {site}',
    'factors.wrongInSessionOpening':
      'Someone who is logged in to your account at {site} was asked for your second factor and could not provide it.',
    'factors.authenticatorAdded': 'New authenticator app for {site}',
    'factors.authenticatorAddedOpening': 'An authenticator app was added to your account at {site}.',
    'factors.passkeyAdded': 'New passkey for {site}',
    'factors.passkeyAddedOpening': 'A passkey was added to your account at {site}.',
    'factors.authenticatorRemoved': 'Authenticator app removed at {site}',
    'factors.authenticatorRemovedOpening': 'An authenticator app was removed from your account at {site}.',
    'factors.passkeyRemoved': 'Passkey removed at {site}',
    'factors.passkeyRemovedOpening': 'A passkey was removed from your account at {site}.',
    'factors.passwordRemoved': 'Your password for {site} has been removed',
    'factors.passwordRemovedOpening':
      'The password of your account at {site} was removed. From now on you log in with a passkey.',
    'factors.codesMade': 'New recovery codes for {site}',
    'factors.codesMadeOpening':
      'New recovery codes were made for your account at {site}. The earlier ones no longer work, and all remembered devices have been forgotten.',
    'factors.codeUsed': 'A recovery code was used at {site}',
    'factors.codeUsedOpening': 'One of your recovery codes was used at {site}.',
    'factors.codesLeft':
      '{left, plural, =0 {It was the last one. If this was you, make new ones now.} other {You have # left. If this was you, make new ones before you run out.}}',

    'planLost.unpaid': 'A payment for the plan of your account at {site} has been due for too long.',
    'planLost.paused': 'The subscription of your account at {site} is paused.',
    'planLost.ended': 'The subscription of your account at {site} has ended.',

    'proof.place': 'TXT record: {record}\nText: {text}',
    'proof.placeWithFile': 'TXT record: {record}\nText: {text}\nOr a file with this text: {file}',
    'proof.suspended':
      'The proof has been missing for 7 days, so the satellite has been suspended: nobody can log in there.',
    'proof.mayBeTaken':
      'The satellite is suspended. Until the proof is there again, anyone who proves that the host is theirs can claim it.',
    'proof.suspendsOn':
      'Without the proof, the satellite will be suspended on {day} (UTC): nobody can log in there from then on. Until then everything works as usual.',
    'proof.others':
      '{count, plural, one {The proof for # more host was not there either.} other {The proofs for # more hosts were not there either.}} You can find all your satellites in your account.',
  },
} as const satisfies MailMessages

export type MailName = keyof (typeof en)['mails']
export type Phrase = keyof (typeof en)['phrases']

/** A language that has every text that English has. */
export interface Translated extends MailMessages {
  readonly mails: Readonly<Record<MailName, MailMessage>>
  readonly phrases: Readonly<Record<Phrase, string>>
}
