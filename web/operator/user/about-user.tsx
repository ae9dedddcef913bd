import { Fact } from '../../pieces/fact.js'
import { Section } from '../../pieces/page.js'
import { hostOf } from '../../pieces/site/site.js'
import { Day } from '../../pieces/time/when.js'
import { ChangeButton } from '../change-button.js'
import { t } from '../language.js'
import { AccountLink } from '../rows/account-link.js'
import type { PersonProps } from './person-props.js'

export function AboutUser({ person, reload }: PersonProps) {
  const { id, accountId, accountName, name, role, createdAt, hasPassword, allowedSatellites } = person
  return (
    <Section title={t('console.about')}>
      <dl>
        {name && <Fact name={t('field.name')}>{name}</Fact>}
        <Fact name={t('nav.account')}>
          <AccountLink id={accountId} name={accountName} />
          <span className="tag">{role === 'owner' ? t('role.owner') : t('role.member')}</span>
        </Fact>
        <Fact name={t('console.account.since')}>
          <Day at={createdAt} />
        </Fact>
        <Fact name={t('field.password')}>
          {hasPassword ? t('console.user.hasPassword') : t('console.user.noPassword')}
        </Fact>
        <Fact name={t('console.user.sites')}>
          {allowedSatellites === null
            ? t('console.user.allSites')
            : allowedSatellites.map(hostOf).join(', ') || t('console.user.noSite')}
        </Fact>
        <Fact name={t('console.id')}>
          <code>{id}</code>
        </Fact>
      </dl>
      <div className="actions">
        <Standing person={person} reload={reload} />
      </div>
    </Section>
  )
}

/** Whether they can log in. An operator can also take over what the account has done. */
function Standing({ person: { id, email, disabledAt, disabledBy }, reload }: PersonProps) {
  return (
    <>
      {disabledAt && (
        <ChangeButton
          name={t('console.user.enable')}
          question={t('console.user.enableQuestion', { email })}
          path={`users/${id}/enable`}
          said={t('console.user.enabled', { email })}
          done={reload}
        />
      )}
      {!(disabledAt && disabledBy === 'operator') && (
        <ChangeButton
          name={t('console.user.disable')}
          kind="danger"
          question={t('console.user.disableQuestion', { email })}
          path={`users/${id}/disable`}
          said={t('console.user.disabled', { email })}
          done={reload}
        >
          <p>{t('console.user.disableMeans')}</p>
        </ChangeButton>
      )}
    </>
  )
}
