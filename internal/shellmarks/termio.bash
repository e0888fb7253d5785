# A bash that Termio starts reads this file in place of its own start-up files
# (it starts in POSIX mode, which reads $ENV and nothing else), and then those,
# as it would have. Nothing of the user's is changed.
unset ENV
if [ -n "${TERMIO_SHELL_ENV+set}" ]; then
	export ENV="$TERMIO_SHELL_ENV"
	unset TERMIO_SHELL_ENV
fi
set +o posix
shopt -u inherit_errexit 2>/dev/null || :
if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)) &&
	[[ ${HISTFILE-} == "${HOME-}/.sh_history" && ${HISTFILE@a} != *x* ]]; then
	HISTFILE=$HOME/.bash_history # POSIX mode has another default
fi

# The hook of the prompt: the end of the command that ran, if one did, and a
# prompt. __termio_at is 0 from here until the command's begin was told.
__termio_prompt() {
	local status=$?
	if [[ -n ${__termio_armed-} && ${__termio_at-0} != 0 ]]; then
		builtin printf '\e]133;D;%s\e\\' "$status" >&2
	fi
	builtin printf '\e]133;A\e\\' >&2
	__termio_armed=1 __termio_at=0
	if [[ ${PS0-} != *__termio_mark* ]]; then
		PS0='${__termio_mark[__termio_at++ ? 1 : 0]-}'${PS0-}
	fi
	return "$status"
}

# PS0, which bash expands when it has read a command, tells of its begin, once
# after each prompt. The hook is called by what a nested shell, which may inherit
# the variable but not the function, takes for nothing.
__termio_install() {
	local call='"${__termio_hook-:}"'
	((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)) || return 0
	shopt -q promptvars || return 0
	(PROMPT_COMMAND= PS0= __termio_at= __termio_armed=) 2>/dev/null || return 0 # read-only
	__termio_mark=($'\e]133;C\e\\' '')
	__termio_armed= __termio_at=1 __termio_hook=__termio_prompt
	if [[ -n ${bash_preexec_imported-}${__bp_imported-} ]]; then
		precmd_functions+=(__termio_prompt)
	elif ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501)) && [[ -z $(trap -p DEBUG) ]] &&
		[[ $(declare -p PROMPT_COMMAND 2>/dev/null) != 'declare -x'* ]]; then
		# Where what sets PROMPT_COMMAND anew does not reach.
		PROMPT_COMMAND=${PROMPT_COMMAND-}
		PROMPT_COMMAND[133]=$call
	else
		PROMPT_COMMAND=$call${PROMPT_COMMAND:+$'\n'$PROMPT_COMMAND}
	fi
	builtin export -n __termio_at __termio_armed __termio_hook
}

if [[ -f /etc/profile && -r /etc/profile ]]; then
	source /etc/profile
fi
if [[ -f ~/.bash_profile && -r ~/.bash_profile ]]; then
	\source ~/.bash_profile
elif [[ -f ~/.bash_login && -r ~/.bash_login ]]; then
	\source ~/.bash_login
elif [[ -f ~/.profile && -r ~/.profile ]]; then
	\source ~/.profile
fi
\__termio_install
\unset -f __termio_install
