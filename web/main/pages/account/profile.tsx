import { useEffect } from '../../../pieces/activity.js'
import { ActionButton, useAction } from '../../../pieces/forms.js'
import { type Load, Loaded, LoadedTogether } from '../../../pieces/loading.js'
import { Failure } from '../../../pieces/notices.js'
import { Page, SplitSection } from '../../../pieces/page.js'
import { Avatar } from '../../../pieces/people.js'
import { t } from '../../../pieces/t.js'
import { breakable } from '../../../pieces/text.js'
import { download, type Profile } from '../../api.js'
import { NameForm } from './name-form.js'

export function ProfilePage({ profile }: { readonly profile: Load<Profile> }) {
  // It was loaded for the menu, perhaps long ago.
  useEffect(() => void profile.reload(), [])
  const save = useAction(() => download('profile/export', 'person.json'))
  return (
    <Page title={t('profile.title')} lead={t('profile.lead')}>
      <LoadedTogether of={[profile]}>
        <SplitSection title={t('profile.yourName')} about={t('profile.nameAbout')}>
          <Loaded of={profile}>
            {({ name, email }) => (
              <>
                <p className="someone">
                  <Avatar name={name ?? email} isLarge />
                  <span>
                    <strong>{breakable(name ?? email)}</strong>
                    {name && <small>{breakable(email)}</small>}
                  </span>
                </p>
                <NameForm
                  path="profile"
                  label={t('field.name')}
                  name={name}
                  autoComplete="name"
                  saved={t('common.nameSaved')}
                  done={profile.reload}
                />
              </>
            )}
          </Loaded>
        </SplitSection>
        <SplitSection title={t('profile.data')} about={t('profile.dataAbout')}>
          <p>{t('profile.dataHow')}</p>
          <Failure error={save.error} />
          <div className="actions">
            <ActionButton action={save}>{t('profile.export')}</ActionButton>
          </div>
        </SplitSection>
      </LoadedTogether>
    </Page>
  )
}
