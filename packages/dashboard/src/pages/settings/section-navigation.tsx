import { Link, useNavigate } from '@tanstack/react-router';
import { settingsPlace } from '../../shared/settings-place.ts';
import { Select } from '../../ui/select.tsx';
import { SECTIONS } from './sections.tsx';

/** A sidebar; rows of links where there is no room for it, and on a phone a list to choose from. */
export function SectionNavigation({ current }: { current: string | undefined }) {
  return (
    <nav aria-label="Settings" className="xl:sticky xl:top-6 xl:self-start">
      <div className="sm:hidden">
        <SectionSelect current={current} />
      </div>
      <div className="-mx-3 hidden flex-wrap gap-1 sm:flex xl:mx-0 xl:grid xl:content-start xl:gap-0.5">
        {SECTIONS.map(({ slug, title, icon: Icon }) => (
          <Link
            key={slug}
            {...settingsPlace(slug)}
            activeProps={{}}
            aria-current={slug === current ? 'page' : undefined}
            className="flex h-9 items-center gap-2.5 rounded-lg px-3 font-medium whitespace-nowrap text-ink-soft hover:bg-sunken hover:text-ink chosen:bg-accent-soft chosen:text-accent-text"
          >
            <Icon aria-hidden="true" className="size-4" />
            {title}
          </Link>
        ))}
      </div>
    </nav>
  );
}

const CHOICES = SECTIONS.map(({ slug, title }) => ({ value: slug, label: title }));

function SectionSelect({ current }: { current: string | undefined }) {
  const navigate = useNavigate();
  const isKnown = CHOICES.some(({ value }) => value === current);
  return (
    <Select
      label="Section"
      value={isKnown ? (current ?? '') : ''}
      choices={CHOICES}
      onChange={(slug) => void navigate(settingsPlace(slug))}
    />
  );
}
