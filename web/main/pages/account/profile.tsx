import { ActionButton } from '../../../pieces/forms/button.js'
import { useAction } from '../../../pieces/forms/use-action.js'
import { t } from '../../../pieces/language/t.js'
import { Failure } from '../../../pieces/notice.js'
import { Page, Section } from '../../../pieces/page.js'
import { useLoad } from '../../../pieces/use-load.js'
import { Loaded } from '../../../pieces/waiting.js'
import type { Profile } from '../../answers.js'
import { call } from '../../api.js'
import { download } from '../../download.js'
import { NameForm } from './name-form.js'

export function ProfilePage() {
  const profile = useLoad(() => call<Profile>('GET', 'profile'))
  const save = useAction(() => download('profile/export', 'person.json'))
  return (
    <Page title={t('profile.title')}>
      <Section title={t('profile.yourName')}>
        <Loaded of={profile}>
          {({ name }) => (
            <NameForm
              path="profile"
              label={t('field.name')}
              name={name}
              autoComplete="name"
              saved={t('common.nameSaved')}
            />
          )}
        </Loaded>
      </Section>
      <Section title={t('profile.data')}>
        <p>{t('profile.dataAbout')}</p>
        <Failure error={save.error} />
        <div className="actions">
          <ActionButton action={save}>{t('profile.export')}</ActionButton>
        </div>
      </Section>
    </Page>
  )
}
