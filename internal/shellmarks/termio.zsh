# A zsh that Termio starts finds this file as its .zshenv. It gives ZDOTDIR back,
# so that zsh reads the user's files from here on, the first one below.
if (( ${+TERMIO_ZDOTDIR} )); then
	export ZDOTDIR=$TERMIO_ZDOTDIR
	unset TERMIO_ZDOTDIR
else
	unset ZDOTDIR
fi

typeset -gi __termio_ran=0

# Before each prompt: the end of the command that ran, if one did, and a prompt.
__termio_precmd() {
	local code=$?
	emulate -L zsh
	if [[ -w $TTY ]]; then
		if (( __termio_ran )); then
			builtin print -rn -- $'\e]133;D;'$code$'\e\\' >|$TTY
		fi
		builtin print -rn -- $'\e]133;A\e\\' >|$TTY
	fi
	__termio_ran=0
	return $code
}

# Before each command.
__termio_preexec() {
	emulate -L zsh
	__termio_ran=1
	if [[ -w $TTY ]]; then
		builtin print -rn -- $'\e]133;C\e\\' >|$TTY
	fi
}

if [[ -o interactive ]]; then
	precmd_functions+=(__termio_precmd)
	preexec_functions+=(__termio_preexec)
fi
if [[ -r ${ZDOTDIR-$HOME}/.zshenv ]]; then
	source "${ZDOTDIR-$HOME}/.zshenv"
fi
