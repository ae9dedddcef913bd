import type { Translated } from './en.js'

export const de: Translated = {
  locale: 'de-DE',
  mails: {
    signUp: {
      subject: 'Bestätigen Sie Ihre E-Mail-Adresse für {site}',
      paragraphs: [
        'Danke für Ihre Registrierung bei {site}. Ein Schritt fehlt noch: Folgen Sie innerhalb von 24 Stunden dem Link unten und geben Sie das Passwort ein, das Sie gewählt haben.',
        'Falls Sie es vergessen haben, registrieren Sie sich einfach noch einmal.',
      ],
      action: 'E-Mail-Adresse bestätigen',
      footnote: 'Waren Sie das nicht? Dann ignorieren Sie diese Mail: Es wird kein Konto angelegt.',
    },
    knownAddress: {
      subject: 'Sie haben bereits ein Konto bei {site}',
      paragraphs: [
        'Mit dieser E-Mail-Adresse wollte sich gerade jemand bei {site} registrieren, aber Sie haben dort bereits ein Konto. Es hat sich nichts geändert.',
        'Wenn Sie Ihr Passwort kennen, melden Sie sich unter {frontPage} an. Haben Sie es vergessen, wählen Sie ein neues:',
      ],
      action: 'Neues Passwort wählen',
      footnote:
        'Waren Sie das nicht? Dann ignorieren Sie diese Mail: Niemand hat erfahren, dass Sie ein Konto haben.',
    },
    confirmEmail: {
      subject: 'Bestätigen Sie Ihre neue E-Mail-Adresse für {site}',
      paragraphs: [
        'Diese E-Mail-Adresse soll für ein Konto bei {site} verwendet werden.',
        'Folgen Sie zur Bestätigung innerhalb von 24 Stunden dem Link unten. Verwenden Sie dafür den Browser, in dem Sie die Änderung veranlasst haben, oder halten Sie Ihr Passwort bereit. Danach melden Sie sich mit dieser Adresse an.',
      ],
      action: 'E-Mail-Adresse verwenden',
      footnote:
        'Waren Sie das nicht? Dann ignorieren Sie diese Mail: Kein Konto wird diese Adresse verwenden.',
    },
    addressInUse: {
      subject: 'Sie haben bereits ein Konto bei {site}',
      paragraphs: [
        'Diese E-Mail-Adresse sollte für ein Konto bei {site} verwendet werden, gehört aber schon zu einem anderen Konto. Es hat sich nichts geändert.',
        'Sie können zuerst die Adresse des anderen Kontos ändern oder eine andere Adresse wählen.',
      ],
      action: 'Zu {site}',
      footnote:
        'Waren Sie das nicht? Dann ignorieren Sie diese Mail: Niemand hat erfahren, dass Sie ein Konto haben.',
    },
    emailChanged: {
      subject: 'Ihre E-Mail-Adresse für {site} wurde geändert',
      paragraphs: [
        'Die E-Mail-Adresse Ihres Kontos bei {site} wurde geändert. Sie melden sich nun mit der neuen Adresse an, und Mails zum Konto gehen dorthin.',
        'Wenn Sie das nicht waren, folgen Sie innerhalb von 7 Tagen dem Link unten. Er stellt diese Adresse wieder her und meldet alle ab; danach wählen Sie ein neues Passwort.',
      ],
      action: 'Das war ich nicht',
      footnote: 'Wenn Sie es waren, brauchen Sie nichts zu tun.',
    },
    emailRestored: {
      subject: 'Ihre E-Mail-Adresse für {site} wurde wiederhergestellt',
      paragraphs: [
        'Ihr Konto bei {site} verwendet wieder seine vorherige E-Mail-Adresse. Sie melden sich mit dieser an, und Mails zum Konto gehen dorthin.',
      ],
      footnote: 'Wenn Sie das nicht waren, fordern Sie mit der vorherigen Adresse ein neues Passwort an.',
    },
    resetPassword: {
      subject: 'Wählen Sie ein neues Passwort für {site}',
      paragraphs: [
        'Für Ihr Konto bei {site} wurde ein neues Passwort angefordert. Wählen Sie es über den Link unten.',
        'Er ist 30 Minuten gültig und funktioniert nur einmal.',
      ],
      action: 'Neues Passwort wählen',
      footnote: 'Waren Sie das nicht? Dann ignorieren Sie diese Mail: Ihr Passwort bleibt, wie es ist.',
    },
    passwordChanged: {
      subject: 'Ihr Passwort für {site} wurde geändert',
      paragraphs: [
        'Ihr Konto bei {site} hat ein neues Passwort. Überall sonst wurden Sie abgemeldet. Falls eine Änderung Ihrer E-Mail-Adresse oder eine Übertragung des Kontos anstand, wurde sie abgebrochen.',
        'Wenn Sie das waren, ist alles in Ordnung. Wenn nicht, folgen Sie dem Link „Das war ich nicht“ aus einer früheren Mail, falls Sie eine haben. Sonst wählen Sie jetzt ein neues Passwort: Der Link dafür kommt an diese Adresse.',
      ],
      action: 'Neues Passwort wählen',
    },
    passwordChangedAtEarlierAddress: {
      subject: 'Ihr Passwort für {site} wurde geändert',
      paragraphs: [
        'Ihr Konto bei {site} hat ein neues Passwort. Überall sonst wurden Sie abgemeldet. Falls eine Änderung Ihrer E-Mail-Adresse oder eine Übertragung des Kontos anstand, wurde sie abgebrochen.',
        'Wenn Sie das waren, ist alles in Ordnung. Wenn nicht, öffnen Sie unsere Mail „{emailChanged}“ und folgen Sie dem Link „Das war ich nicht“: Er stellt diese Adresse wieder her und meldet alle ab.',
      ],
      footnote: 'Wir schreiben auch an diese frühere Adresse, solange Ihr Konto zu ihr zurückkehren kann.',
    },
    invitation: {
      subject: 'Sie wurden in ein Team bei {site} eingeladen',
      paragraphs: [
        '{introduction}',
        'Sie erhalten Zugang zu {sites}.',
        'Um beizutreten, wählen Sie über den Link unten ein Passwort. Er ist {days} Tage gültig und funktioniert nur einmal.',
      ],
      action: 'Dem Team beitreten',
      footnote:
        'Wenn Sie nicht wissen, wer Sie da einlädt, ignorieren Sie diese Mail: Ohne den Link kann niemand in Ihrem Namen beitreten.',
    },
    invitationOfUser: {
      subject: 'Sie wurden in ein Team bei {site} eingeladen',
      paragraphs: [
        '{introduction}',
        'Diese E-Mail-Adresse hat hier bereits ein Konto, und eine Adresse kann nur zu einem Konto gehören. Um dem Team beizutreten, bitten Sie um eine Einladung an eine andere Adresse.',
      ],
      footnote:
        'Sie brauchen nichts zu tun: Ihr Konto bleibt, wie es ist, und das Team erfährt nichts davon.',
    },
    factorResetRequested: {
      subject: 'Ihre zweiten Faktoren bei {site} werden entfernt',
      paragraphs: [
        '{claim}',
        'Am {day} um {time} Uhr UTC werden sie alle entfernt, auch Ihre Wiederherstellungscodes, und Sie werden überall abgemeldet. {login}',
        'Wenn Sie darum gebeten haben, können Sie das über den Link unten sofort erledigen. Wenn nicht, verhindern Sie es dort.',
      ],
      action: 'Anfrage ansehen',
      footnote:
        'Wenn Sie nicht darum gebeten haben, sprechen Sie auch mit Ihrem Team und ändern Sie Ihr Passwort, falls Sie eines haben.',
    },
    factorResetDone: {
      subject: 'Ihre zweiten Faktoren bei {site} wurden entfernt',
      paragraphs: [
        'Ihr Konto bei {site} hat keine Authenticator-App, keinen Passkey und keinen Wiederherstellungscode mehr, und Sie wurden überall abgemeldet. {login}',
      ],
      action: 'Zu {site}',
      footnote: '{otherwise}',
    },
    policyChanged: {
      subject: 'Neue Regeln für zweite Faktoren bei {site}',
      paragraphs: [
        'Jemand, der die Einstellungen Ihres Kontos bei {site} ändern darf, hat die Regeln für zweite Faktoren geändert.',
        '{whom}',
        '{payments}',
      ],
      action: 'Zu {site}',
      footnote:
        'Ihre Kontoeinstellungen zeigen, wer einen eingerichtet hat. Wenn Sie das nicht erwartet haben, sehen Sie jetzt dort nach.',
    },
    paymentFailed: {
      subject: 'Eine Zahlung für Ihren Tarif bei {site} ist fehlgeschlagen',
      paragraphs: [
        'Wir konnten eine Zahlung für den Tarif Ihres Kontos bei {site} nicht einziehen. Sie behalten den Tarif vorerst.',
        'Bitte bezahlen Sie oder nutzen Sie eine andere Karte, und zwar vor dem {day}, {time} Uhr UTC. Sonst verliert Ihr Konto von da an, was der Tarif enthält; gelöscht wird nichts.',
      ],
      action: 'Jetzt bezahlen',
    },
    planLost: {
      subject: 'Ihr Konto bei {site} hat seinen Tarif nicht mehr',
      paragraphs: ['{why}', 'Ihr Konto hat nicht mehr, was der Tarif enthält. Es wurde nichts gelöscht.'],
      action: 'Zur Abrechnung',
    },
    handoffLoosened: {
      subject: 'Neue Regeln für die Anmeldung bei Ihren Satelliten',
      paragraphs: [
        'Jemand, der die Einstellungen Ihres Kontos bei {site} ändern darf, hat geändert, wie man sich bei Ihren Satelliten anmeldet.',
        '{whom}',
        'Der Server eines solchen Satelliten sieht die Passwörter, die dort eingegeben werden.',
      ],
      action: 'Zu Ihren Satelliten',
      footnote:
        'Wenn Sie das nicht erwartet haben, ändern Sie es auf dieser Seite zurück, und ändern Sie Ihr Passwort, falls Sie eines haben: Vielleicht kennt es jemand.',
    },
    deletionRequested: {
      subject: 'Ihr Konto bei {site} wird gelöscht',
      paragraphs: [
        'Die Inhaberin oder der Inhaber hat uns gebeten, Ihr Konto bei {site} mit allen Daten zu löschen. Das geschieht frühestens am {day} (UTC).',
        'Bis dahin funktioniert alles wie gewohnt, und die Inhaberin oder der Inhaber kann die Löschung noch widerrufen.',
      ],
      action: 'Zu {site}',
      footnote:
        'Wenn das Konto Ihnen gehört und Sie nicht darum gebeten haben, widerrufen Sie jetzt die Löschung und ändern Sie Ihr Passwort, falls Sie eines haben.',
    },
    deletionCancelled: {
      subject: 'Ihr Konto bei {site} wird nicht gelöscht',
      paragraphs: ['Die Löschung Ihres Kontos bei {site} wurde widerrufen.'],
      action: 'Zu {site}',
    },
    deleted: {
      subject: 'Ihr Konto bei {site} wurde gelöscht',
      paragraphs: [
        'Ihr Konto bei {site} wurde auf Wunsch der Inhaberin oder des Inhabers mit allen Daten gelöscht. Niemand kann sich dort mehr anmelden.',
      ],
    },
    transferRequested: {
      subject: 'Übertragung Ihres Kontos bei {site} beantragt',
      paragraphs: [
        'Ihr Konto bei {site} soll an ein Mitglied übertragen werden. Das Mitglied muss zuerst zustimmen, und vor dem {day} (UTC) ändert sich nichts.',
        'Wenn Sie das nicht waren, stoppen Sie die Übertragung mit dem Link unten und ändern Sie Ihr Passwort, falls Sie eines haben.',
      ],
      action: 'Übertragung stoppen',
      footnote:
        'Wenn Sie es waren, brauchen Sie nichts zu tun. Sie können die Übertragung auch in Ihren Kontoeinstellungen widerrufen.',
    },
    transferAccepted: {
      subject: 'Ihr Konto bei {site} gehört bald jemand anderem',
      paragraphs: [
        'Das Mitglied, das Ihr Konto bei {site} übernehmen soll, hat zugestimmt. Frühestens am {day} (UTC) gehört ihm das Konto, und Sie werden Mitglied.',
        'Wenn Sie das nicht wollen, stoppen Sie die Übertragung mit dem Link unten. Wenn Sie nicht darum gebeten haben, ändern Sie außerdem Ihr Passwort, falls Sie eines haben.',
      ],
      action: 'Übertragung stoppen',
      footnote: 'Wenn Sie es so wollen, brauchen Sie nichts zu tun.',
    },
    transferOffer: {
      subject: 'Übernehmen Sie das Teamkonto bei {site}?',
      paragraphs: [
        'Die Inhaberin oder der Inhaber möchte Ihnen das Teamkonto bei {site} übertragen. Sie wären dann für Zahlungen, Einstellungen und das Team verantwortlich.',
        'Folgen Sie zur Annahme innerhalb von 7 Tagen dem Link unten. Das Konto gehört Ihnen frühestens am {day} (UTC).',
      ],
      action: 'Konto übernehmen',
      footnote: 'Wenn Sie das nicht wollen, ignorieren Sie diese Mail: Ohne Ihre Annahme ändert sich nichts.',
    },
    transferCancelled: {
      subject: 'Ihr Konto bei {site} wird nicht übertragen',
      paragraphs: [
        'Die Übertragung Ihres Kontos bei {site} wurde abgebrochen. Es gehört weiter derselben Person.',
      ],
      action: 'Zu {site}',
    },
    transferOfferWithdrawn: {
      subject: 'Das Teamkonto bei {site} wird nicht an Sie übertragen',
      paragraphs: [
        'Wir hatten Sie gefragt, ob Sie das Teamkonto bei {site} übernehmen. Das ist nicht mehr vorgesehen, und der Link aus unserer früheren Mail funktioniert nicht mehr.',
        'Sie brauchen nichts zu tun.',
      ],
    },
    becameMember: {
      subject: 'Ihr Konto bei {site} gehört jetzt jemand anderem',
      paragraphs: [
        'Ein Mitglied hat Ihr Konto bei {site} übernommen. Sie sind jetzt Mitglied.',
        'Was Sie dort tun dürfen, entscheidet jetzt die neue Inhaberin oder der neue Inhaber.',
      ],
      action: 'Zu {site}',
      footnote:
        'Wenn Sie nicht darum gebeten haben, wenden Sie sich an uns und ändern Sie Ihr Passwort, falls Sie eines haben: Vielleicht kennt es jemand.',
    },
    becameOwner: {
      subject: 'Ihr Konto bei {site} gehört jetzt Ihnen',
      paragraphs: [
        'Sie haben jetzt alle Rechte im Konto bei {site}: Zahlungen, Einstellungen und Team.',
        '{deletion}',
      ],
      action: 'Zu {site}',
    },
    memberJoined: {
      subject: '{member} gehört jetzt zu Ihrem Konto bei {site}',
      paragraphs: [
        '{member} hat die Einladung von {by} in Ihr Konto bei {site} angenommen und darf jetzt {powers}.',
      ],
      action: 'Zu {site}',
      footnote:
        'Wenn Sie das erwartet haben, brauchen Sie nichts zu tun. Wenn nicht, sperren Sie dieses Mitglied auf der Seite Ihres Teams, und ändern Sie Ihr Passwort, falls Sie eines haben: Vielleicht kennt es jemand.',
    },
    memberGained: {
      subject: '{member} darf jetzt mehr in Ihrem Konto bei {site}',
      paragraphs: [
        '{by} hat geändert, was {member} in Ihrem Konto bei {site} darf. Dieses Mitglied darf jetzt {powers}.',
      ],
      action: 'Zu {site}',
      footnote:
        'Wenn Sie das erwartet haben, brauchen Sie nichts zu tun. Wenn nicht, sperren Sie dieses Mitglied auf der Seite Ihres Teams, und ändern Sie Ihr Passwort, falls Sie eines haben: Vielleicht kennt es jemand.',
    },
    memberRemoved: {
      subject: '{member} wurde aus Ihrem Konto bei {site} entfernt',
      paragraphs: [
        '{by} hat {member} aus Ihrem Konto bei {site} entfernt. Dieses Mitglied hatte die Erlaubnis erhalten, dies zu tun: {powers}.',
      ],
      action: 'Zu {site}',
      footnote:
        'Wenn Sie das erwartet haben, brauchen Sie nichts zu tun. Wenn nicht, können Sie dieses Mitglied auf der Seite Ihres Teams erneut einladen. Ändern Sie außerdem Ihr Passwort, falls Sie eines haben: Vielleicht kennt es jemand.',
    },
    removedFromTeam: {
      subject: 'Sie wurden aus einem Team bei {site} entfernt',
      paragraphs: [
        '{removal}',
        'Sie wurden überall abgemeldet und können sich mit dieser E-Mail-Adresse nicht mehr anmelden.',
      ],
      footnote: 'Wenn Sie das für ein Versehen halten, bitten Sie Ihr Team um eine neue Einladung.',
    },
    membersDisabled: {
      subject: 'Mitglieder Ihres Teams wurden gesperrt',
      paragraphs: [
        '{inviter} hat uns gemeldet, dass sich jemand anders mit dieser Adresse angemeldet hat. Wir haben alle gesperrt, die in dieser Zeit mit dieser Anmeldung eingeladen wurden oder mehr Rechte erhielten: {members}.',
        'Wenn Ihnen diese Personen bekannt sind, können Sie sie auf der Seite Ihres Teams wieder freigeben.',
      ],
      action: 'Zu {site}',
    },
    satelliteActivated: {
      subject: '{host} ist jetzt ein Satellit Ihres Kontos',
      paragraphs: [
        '{by} hat {host} am {day} um {time} Uhr UTC als Satelliten Ihres Kontos bei {site} aktiviert. Ihr Team kann sich jetzt dort anmelden.',
      ],
      action: 'Zu Ihren Satelliten',
      footnote:
        'Wenn Sie oder jemand aus Ihrem Team das veranlasst hat, brauchen Sie nichts zu tun. Wenn nicht, sperren Sie den Satelliten auf dieser Seite, und ändern Sie Ihr Passwort, falls Sie eines haben: Vielleicht kennt es jemand.',
    },
    satellitesClosed: {
      subject: 'Satelliten Ihres Kontos wurden gesperrt',
      paragraphs: [
        '{user} hat uns gemeldet, dass sich jemand anders mit dieser Adresse angemeldet hat. Deshalb haben wir die Satelliten gesperrt, die in dieser Zeit mit dieser Anmeldung aktiviert wurden: {satellites}. Dort kann sich niemand mehr anmelden.',
        'Wenn Ihnen diese Websites bekannt sind, können Sie sie auf der Seite Ihrer Satelliten wieder freigeben.',
      ],
      action: 'Zu {site}',
    },
    notice: {
      subject: '{subject}',
      paragraphs: ['{opening}', '{circumstances}', '{advice}'],
      action: 'Das war ich nicht',
      footnote:
        'Der Link ist 7 Tage gültig und funktioniert nur einmal. Er meldet Sie überall ab, und Sie erhalten eine Mail, über die Sie ein neues Passwort wählen.',
    },
    noticeAtEarlierAddress: {
      subject: '{subject}',
      paragraphs: [
        '{opening}',
        '{circumstances}',
        '{advice}',
        'Wenn Sie das nicht waren, öffnen Sie unsere Mail „{emailChanged}“ und folgen Sie dem Link „Das war ich nicht“: Er stellt diese Adresse wieder her und meldet alle ab.',
      ],
      footnote: 'Wir schreiben auch an diese frühere Adresse, solange Ihr Konto zu ihr zurückkehren kann.',
    },
    proofMissing: {
      subject: 'Der Nachweis für {host} wurde nicht gefunden',
      paragraphs: [
        'Wir prüfen jeden Tag, ob der Host Ihres Satelliten {name} noch Ihnen gehört. Diesmal fehlte der Nachweis. Bitte stellen Sie ihn wieder bereit:',
        '{place}',
        '{consequence}',
      ],
      action: 'Zu {site}',
    },
    satelliteSuspended: {
      subject: 'Ihr Satellit {host} wurde gesperrt',
      paragraphs: [
        'Seit 7 Tagen finden wir den Nachweis nicht, dass der Host Ihres Satelliten {name} Ihnen gehört; deshalb wurde er gesperrt. Niemand kann sich dort anmelden.',
        '{place}',
        'Sobald der Nachweis wieder da ist, können Sie den Satelliten wieder freigeben. Bis dahin können ihn andere übernehmen, wenn sie nachweisen, dass der Host ihnen gehört.',
      ],
      action: 'Zu {site}',
    },
    proofsMissing: {
      subject: 'Die Nachweise für {count} Hosts wurden nicht gefunden',
      paragraphs: [
        'Wir prüfen jeden Tag, ob die Hosts Ihrer Satelliten noch Ihnen gehören. Diesmal fehlten diese Nachweise. Bitte stellen Sie sie wieder bereit.',
      ],
      action: 'Zu {site}',
    },
    satelliteMoved: {
      subject: '{host} ist jetzt ein Satellit eines anderen Kontos',
      paragraphs: [
        'Ein anderes Konto hat nachgewiesen, dass ihm der Host Ihres Satelliten {name} gehört, und Ihr eigener Nachweis war nicht mehr da. Aus Ihrem Team kann sich dort niemand mehr anmelden, und alle Sitzungen dort wurden beendet.',
        'Wenn der Host Ihnen gehört, finden Sie heraus, wer seine DNS-Einträge oder seine Dateien ändern kann. Erbringen Sie dann den Nachweis für Ihren Satelliten erneut.',
      ],
      action: 'Zu {site}',
    },
  },
  phrases: {
    'layout.copyAddress': 'Falls die Schaltfläche nicht funktioniert, kopieren Sie diese Adresse:',
    'layout.questions': 'Fragen? Wir helfen gern:',
    'layout.sentBy': 'Gesendet von {host}',
    'layout.sentByName': 'Gesendet von {name}, {host}',

    'invitation.toTeam': '{inviter} hat Sie in ein Team bei {site} eingeladen.',
    'invitation.toNamedTeam': '{inviter} hat Sie in das Team „{team}“ bei {site} eingeladen.',
    'invitation.allSites': 'allen Websites des Teams',
    'invitation.someSites': 'einigen Websites des Teams',

    'becameOwner.deletion':
      'Die Löschung des Kontos wurde bereits beantragt: Am {day} (UTC) wird es mit allen Daten gelöscht. Wenn Sie es behalten möchten, widerrufen Sie die Löschung in den Kontoeinstellungen.',

    'power.payments': 'Zahlungen veranlassen',
    'power.accountSettings': 'die Kontoeinstellungen ändern',
    'power.teamManagement': 'das Team verwalten',
    'team.others': '{count, plural, one {# weiteres Mitglied} other {# weitere Mitglieder}}',

    'removal.fromTeam': 'Sie wurden aus Ihrem Team bei {site} entfernt.',
    'removal.fromNamedTeam': 'Sie wurden aus dem Team „{team}“ bei {site} entfernt.',

    'satellite.others': '{count, plural, one {# weiterer} other {# weitere}}',
    'satellite.alsoClosed':
      'Auch die Satelliten, die in dieser Zeit aktiviert wurden, haben wir gesperrt: {satellites}. Wenn Ihnen diese Websites bekannt sind, können Sie sie auf der Seite Ihrer Satelliten wieder freigeben.',

    'factorReset.byManager':
      'Jemand, der Ihr Team bei {site} verwaltet, gibt an, dass Sie Ihre Authenticator-App oder Ihre Passkeys verloren haben.',
    'factorReset.byOperator':
      'Uns wurde mitgeteilt, dass Sie Ihre Authenticator-App oder Ihre Passkeys verloren haben. Wenn das nicht stimmt, melden Sie sich damit an: Dann wird nichts entfernt.',
    'factorReset.whileDisabled':
      'Wir haben Ihren Zugang gesperrt. Uns wurde mitgeteilt, dass Ihre Authenticator-App oder Ihre Passkeys verloren sind oder nicht Ihnen gehören.',

    'factorReset.passwordAlone': 'Danach genügt Ihr Passwort zur Anmeldung, auch anderen, die es kennen.',
    'factorReset.noPassword':
      'Sie haben kein Passwort und brauchen danach eines zur Anmeldung. Wählen Sie es über den Link „Passwort vergessen?“ auf der Anmeldeseite.',
    'factorReset.logIn': 'Melden Sie sich mit Ihrem Passwort an und richten Sie neue ein.',
    'factorReset.choosePassword':
      'Wählen Sie ein Passwort über den Link „Passwort vergessen?“ auf der Anmeldeseite, melden Sie sich damit an und richten Sie neue ein.',
    'factorReset.changePassword':
      'Wenn Sie nicht darum gebeten haben, ändern Sie jetzt Ihr Passwort über den Link „Passwort vergessen?“ auf der Anmeldeseite und wenden Sie sich an uns.',
    'factorReset.setPassword':
      'Wenn Sie nicht darum gebeten haben, wählen Sie dieses Passwort jetzt, bevor es jemand anders tut, und wenden Sie sich an uns.',

    'policy.off': 'Niemand muss einen zweiten Faktor haben.',
    'policy.payments': 'Wer bezahlen darf, muss einen zweiten Faktor haben{from}',
    'policy.managers':
      'Die Inhaberin oder der Inhaber und alle, die bezahlen oder das Konto oder sein Team verwalten dürfen, müssen einen zweiten Faktor haben{from}',
    'policy.everyone': 'Alle müssen einen zweiten Faktor haben{from}',
    'policy.from': ', und zwar ab dem {day} (UTC). Wer dann noch keinen hat, kann nur noch einen einrichten.',
    'policy.payWithout': 'Zahlungen brauchen keinen zweiten Faktor.',
    'policy.payWith':
      'Zahlungen brauchen einen zweiten Faktor, der in {minutes, plural, one {der letzten Minute} other {den letzten # Minuten}} verwendet wurde.',

    'handoff.owners':
      'Nur noch die Inhaberin oder der Inhaber muss sich über die Hauptseite anmelden. Alle anderen dürfen ihr Passwort bei Satelliten eingeben, die das zulassen.',
    'handoff.none':
      'Alle, auch die Inhaberin oder der Inhaber, dürfen ihr Passwort jetzt bei Satelliten eingeben, die das zulassen.',

    'notice.circumstances': 'Gerät: {device}\nZeit: {day}, {time} Uhr UTC',
    'notice.circumstancesWithPlace': 'Gerät: {device}\nOrt: in oder bei {place}\nZeit: {day}, {time} Uhr UTC',
    'notice.ip': 'IP-Adresse: {ip}',
    'notice.unknownDevice': 'unbekanntes Gerät',
    'notice.deviceOnSystem': '{app} auf {system}',
    'notice.nothingToDo': 'Wenn Sie das waren, brauchen Sie nichts zu tun.',
    'notice.logInAsUsual':
      'Wenn Sie das waren, melden Sie sich von einem Gerät und einem Ort an, die Sie sonst auch nutzen, oder versuchen Sie es später noch einmal.',

    'newDevice.subject': 'Neue Anmeldung bei {site}: {device}',
    'newDevice.opening':
      'Jemand hat sich gerade in Ihrem Konto bei {site} angemeldet, von einem Gerät, das Sie bisher nicht genutzt haben.',
    'newDevice.refused':
      'Jemand hat das richtige Passwort für Ihr Konto bei {site} eingegeben, von einem Gerät, das Sie bisher nicht genutzt haben.',
    'unusualLogin.subject': 'Ungewöhnliche Anmeldung bei {site}',
    'unusualLogin.opening':
      'Jemand hat sich gerade in Ihrem Konto bei {site} angemeldet, von einem Ort, an dem Sie sich sonst nicht anmelden.',
    'unusualLogin.refused':
      'Jemand hat das richtige Passwort für Ihr Konto bei {site} eingegeben, von einem Ort, an dem Sie sich sonst nicht anmelden.',
    'refusedLogin.subject': 'Anmeldung bei {site} abgelehnt',
    'refusedLogin.subjectWithDevice': 'Anmeldung bei {site} abgelehnt: {device}',
    'refusedLogin.unusual': 'Die Anmeldung wurde abgelehnt. {advice}',
    'refusedLogin.handoffRequired':
      'Die Anmeldung wurde abgelehnt, weil Sie sich nur über unsere Hauptseite anmelden können. Wenn Sie das waren, melden Sie sich dort an.',
    'refusedLogin.wrongCode':
      'Jemand hat das richtige Passwort für Ihr Konto bei {site} eingegeben und danach einen falschen Code.',
    'refusedLogin.passwordKnown':
      'Die Anmeldung wurde abgelehnt. Wenn Sie das waren, brauchen Sie nichts zu tun. Wenn nicht, wählen Sie ein neues Passwort: Jemand kennt Ihres.',
    'unusualUse.subject': 'Ungewöhnliche Aktivität bei {site}',
    'unusualUse.opening':
      'Eine Ihrer Sitzungen bei {site} wurde plötzlich von einem anderen Gerät oder Ort aus genutzt.',
    'unusualUse.ended':
      'Eine Ihrer Sitzungen bei {site} wurde plötzlich von einem anderen Gerät oder Ort aus genutzt. Wir haben sie beendet.',

    'factors.wrongInSession': 'Falscher Code bei {site}',
    'factors.wrongInSessionOpening':
      'Jemand, der in Ihrem Konto bei {site} angemeldet ist, konnte sich nicht mit Ihrem zweiten Faktor ausweisen.',
    'factors.authenticatorAdded': 'Neue Authenticator-App für {site}',
    'factors.authenticatorAddedOpening':
      'Zu Ihrem Konto bei {site} wurde eine Authenticator-App hinzugefügt.',
    'factors.passkeyAdded': 'Neuer Passkey für {site}',
    'factors.passkeyAddedOpening': 'Zu Ihrem Konto bei {site} wurde ein Passkey hinzugefügt.',
    'factors.authenticatorRemoved': 'Authenticator-App bei {site} entfernt',
    'factors.authenticatorRemovedOpening':
      'Aus Ihrem Konto bei {site} wurde eine Authenticator-App entfernt.',
    'factors.passkeyRemoved': 'Passkey bei {site} entfernt',
    'factors.passkeyRemovedOpening': 'Aus Ihrem Konto bei {site} wurde ein Passkey entfernt.',
    'factors.passwordRemoved': 'Ihr Passwort für {site} wurde entfernt',
    'factors.passwordRemovedOpening':
      'Das Passwort Ihres Kontos bei {site} wurde entfernt. Von nun an melden Sie sich mit einem Passkey an.',
    'factors.codesMade': 'Neue Wiederherstellungscodes für {site}',
    'factors.codesMadeOpening':
      'Für Ihr Konto bei {site} wurden neue Wiederherstellungscodes erstellt. Die früheren gelten nicht mehr, und alle gemerkten Geräte wurden vergessen.',
    'factors.codeUsed': 'Wiederherstellungscode bei {site} verwendet',
    'factors.codeUsedOpening': 'Einer Ihrer Wiederherstellungscodes wurde bei {site} verwendet.',
    'factors.codesLeft':
      '{left, plural, =0 {Es war der letzte. Wenn Sie das waren, erstellen Sie jetzt neue.} one {Sie haben noch einen. Wenn Sie das waren, erstellen Sie bald neue.} other {Sie haben noch #. Wenn Sie das waren, erstellen Sie neue, bevor sie ausgehen.}}',

    'planLost.unpaid': 'Eine Zahlung für den Tarif Ihres Kontos bei {site} ist zu lange überfällig.',
    'planLost.paused': 'Das Abo Ihres Kontos bei {site} ist pausiert.',
    'planLost.ended': 'Das Abo Ihres Kontos bei {site} ist beendet.',

    'proof.place': 'TXT-Eintrag: {record}\nText: {text}',
    'proof.placeWithFile': 'TXT-Eintrag: {record}\nText: {text}\nOder eine Datei mit diesem Text: {file}',
    'proof.suspended':
      'Der Nachweis fehlt seit 7 Tagen; deshalb wurde der Satellit gesperrt: Niemand kann sich dort anmelden.',
    'proof.mayBeTaken':
      'Der Satellit ist gesperrt. Bis der Nachweis wieder da ist, können ihn andere übernehmen, wenn sie nachweisen, dass der Host ihnen gehört.',
    'proof.suspendsOn':
      'Ohne den Nachweis wird der Satellit am {day} (UTC) gesperrt: Von da an kann sich dort niemand anmelden. Bis dahin funktioniert alles wie gewohnt.',
    'proof.others':
      '{count, plural, one {Auch der Nachweis für # weiteren Host fehlte.} other {Auch die Nachweise für # weitere Hosts fehlten.}} Alle Ihre Satelliten finden Sie in Ihrem Konto.',
  },
}
