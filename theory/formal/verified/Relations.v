(* A checker of certificates about relations between expressions, and what expressions mean; accepted_relations.v states what
   it accepts.

   A value is a matrix; a number is one with one row and one column. Every expression has a shape, and [meaning p e h w] is its
   value where (h, w) is that shape, on the path p that names at a step are about. Names stand for what the model gives, by
   the definitions of Schedule.v and Means.v. Where an expression asks for W⁻¹, the inverse is a hint that is not
   trusted; where it asks for a determinant, so are triangular matrices. *)
From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect all_algebra ring.
From TD Require Import Schedule telescoping Forms Chain KeyMatrices Policies OffPolicy Rationals Matrices Checker Kinds Means
  PathValues.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* ---- What is computed ---- *)

Inductive named :=
  | TheIdentity | TheOnes of nat
  | TheChain                     (* P_mu *)
  | TheTarget                    (* P_pi *)
  | TheKernel                    (* N *)
  | TheReward | TheShare         (* r, q *)
  | TheFeatures                  (* Φ *)
  | TheLaw | TheWeights          (* d, a column, and D = diag d *)
  | TheA | TheB | TheC
  | TheTheta                     (* what the certificate gives *)
  | TheDiscount | TheKappa
  | TheLength                                  (* of the schedule *)
  | TheLambda of nat | TheProduct of nat | TheWeight of nat      (* λ_k, c_k, w_k *)
  | TheRows of nat.              (* Λ_ij, i and j from 1 to k *)

(* At a step of a path: R, Γ, ρ and δ of a transition; v, φ and the number of a state; the trace, and that with ratios *)
Inductive at_step :=
  StepReward | StepDiscount | StepRatio | StepError | StepValue | StepFeatures | StepState | StepTrace of bool.

(* A path: its first state, and the action and the next state of each transition *)
Record walk := Walk { first_state : nat; transitions_of : seq (nat * nat) }.

Inductive expression :=
  | OnStep of at_step & nat
  | ReturnOf of bool                           (* from the first state; true: with ratios *)
  | OnPath of walk & expression
  | MeanOver of bool & option nat & nat & expression   (* true: under mu; from this state, or from d; so many steps *)
  | Constant of Q
  | Named of named
  | Added of expression & expression
  | Negated of expression
  | Scaled of expression & expression
  | Multiplied of expression & expression
  | Raised of expression & nat
  | Transposed of expression
  | EntryOf of expression & nat & nat
  | SumOf of expression                        (* of all entries *)
  | DiagonalOf of expression                   (* of a column *)
  | Beside of expression & expression
  | DeterminantOf of expression & mat & mat & mat  (* of X; hints at R, L and U with RX = LU *)
  | PairsOf of expression                      (* the second additive compound *)
  | SolutionOf of expression & expression & mat  (* of WX = U; a hint at W⁻¹ *)
  | PowersOf of expression                     (* SX *)
  | StepsOf of expression.                     (* MX *)

Inductive order := Alike | Unlike | Below | AtMost.
Definition relation : Type := expression * order * expression.

(* What is computed once. *)
Record prepared := Prepared { chain_is : mat; kernel_is : mat; sum_is : bool; A_is : mat; b_is : mat; C_is : mat }.

Section Compute.
Variables (M : model) (b : basis) (given : bool) (star : vec).
Let n := (last_state M).+1.
Let m := columns M.

Definition lambda_at k : Q :=
  match powers b with Ends => if k is i.+1 then at_ (lambdas M) i else qzero | Endless l _ _ => l end.
Definition product_at k : Q := foldr (fun j a => qmul (lambda_at j) a) qone (iota 1 k).
Definition weight_at k : Q := qadd (product_at k.-1) (qopp (product_at k)).
Definition row_at i j : Q :=
  if (j < i)%N then qmul (product_at j.-1) (qadd qone (qopp (lambda_at j))) else if eqn j i then product_at i.-1 else qzero.
Fixpoint power_at (a : Q) k : Q := if k is k'.+1 then qmul a (power_at a k') else qone.

Definition discount_at : Q := entry (of_action (discounts M) 0) 0 0.
Definition one_discount : bool := each (actions M) (fun a =>
  each2 n n (fun i j => qequal (entry (of_action (discounts M) a) i j) discount_at)).
Definition kappa_at : Q :=
  match powers b with
  | Ends => total [seq qmul (weight_at k.+1) (power_at discount_at k.+1) | k <- iota 0 (size (lambdas M)).+1]
  | Endless l _ _ => qmul (qmul (qadd qone (qopp l)) discount_at) (fraction_inverse (qadd qone (qopp (qmul l discount_at))))
  end.
Definition natural_at k : Q := total [seq qone | _ <- iota 0 k].

Definition target_at : mat := table n n (fun i j =>
  sum_actions M (fun a => qmul (weight_used M b i a) (entry (of_action (transitions M) a) i j))).
Definition upright k (v : vec) : mat := table k 1 (fun i _ => at_ v i).
Definition diagonal k (X : mat) : mat := table k k (fun i j => if eqn i j then entry X i 0 else qzero).

(* On a path *)
Definition state_on w k : nat := if k is k'.+1 then (nth (0%N, 0%N) (transitions_of w) k').2 else first_state w.
Definition action_on w k : nat := (nth (0%N, 0%N) (transitions_of w) k).1.
Definition reward_on w k : Q := entry (of_action (rewards M) (action_on w k)) (state_on w k) (state_on w k.+1).
Definition discount_on w k : Q := entry (of_action (discounts M) (action_on w k)) (state_on w k) (state_on w k.+1).
Definition target_on w k : Q := entry (target M) (state_on w k) (action_on w k).
Definition behaviour_on w k : Q := entry (behaviour M) (state_on w k) (action_on w k).
Definition ratio_on w k : Q := qmul (target_on w k) (fraction_inverse (behaviour_on w k)).
Definition ratio_if (r : bool) w k : Q := if r then ratio_on w k else qone.
Definition value_on w k : Q := total [seq qmul (entry (features M) (state_on w k) j) (at_ star j) | j <- iota 0 m].
Definition error_on w k : Q :=
  qadd (qadd (reward_on w k) (qmul (discount_on w k) (value_on w k.+1))) (qopp (value_on w k)).
(* of φ(s_i) in the trace at step k *)
Definition lag_on r w k i : Q := qmul (product_at (k - i))
  (foldr (fun j a => qmul (qmul (discount_on w j) (ratio_if r w j)) a) (ratio_if r w k) (iota i (k - i))).
Definition trace_on r w k : mat := table m 1 (fun j _ =>
  total [seq qmul (lag_on r w k i) (entry (features M) (state_on w i) j) | i <- iota 0 k.+1]).
Fixpoint return_on r w k i : Q :=
  let l := lambda_at i.+1 in let rest := if k is k'.+1 then return_on r w k' i.+1 else qzero in
  qmul (ratio_if r w i) (qadd (reward_on w i) (qmul (discount_on w i)
    (qadd (qmul (qadd qone (qopp l)) (value_on w i.+1)) (qmul l rest)))).

Definition step_shape x : nat * nat :=
  match x with StepFeatures | StepTrace _ => (m, 1%N) | StepState => (n, 1%N) | _ => (1%N, 1%N) end.
Definition step_value w x k : mat :=
  match x with
  | StepReward => [:: [:: reward_on w k]]
  | StepDiscount => [:: [:: discount_on w k]]
  | StepRatio => [:: [:: ratio_on w k]]
  | StepError => [:: [:: error_on w k]]
  | StepValue => [:: [:: value_on w k]]
  | StepFeatures => table m 1 (fun j _ => entry (features M) (state_on w k) j)
  | StepState => table n 1 (fun i _ => if eqn i (state_on w k) then qone else qzero)
  | StepTrace r => trace_on r w k
  end.
Definition in_window k i : bool := if powers b is Ends then (k - size (lambdas M) <= i)%N else true.
Definition taken w i : bool := ~~ qnull (behaviour_on w i).
Definition step_fits w x k : bool :=
  match x with
  | StepReward | StepDiscount | StepError => (k < size (transitions_of w))%N
  | StepRatio => (k < size (transitions_of w))%N && taken w k
  | StepTrace true => (k < size (transitions_of w))%N && each k.+1 (fun i => in_window k i ==> taken w i)
  | _ => (k <= size (transitions_of w))%N
  end.
Definition return_fits (r : bool) w : bool :=
  if powers b is Ends then (size (lambdas M) < size (transitions_of w))%N &&
    (if r then each (size (lambdas M)).+1 (taken w) else true) else false.
Fixpoint legal_from s (l : seq (nat * nat)) : bool :=
  if l is (a, t) :: l' then
    [&& (a < actions M)%N, (t < n)%N, qpos (entry (of_action (transitions M) a) s t) & legal_from t l']
  else true.
Definition legal w : bool := (first_state w < n)%N && legal_from (first_state w) (transitions_of w).

(* Over paths *)
Definition last_of w : nat := last (first_state w) [seq x.2 | x <- transitions_of w].
Definition extended w a t : walk := Walk (first_state w) (rcons (transitions_of w) (a, t)).
Definition chance (mu_ : bool) w a t : Q :=
  qmul (entry (if mu_ then behaviour M else target M) (last_of w) a) (entry (of_action (transitions M) a) (last_of w) t).
Definition joined h k (X S : mat) : mat := if X is [::] then S else plus h k X S.
Fixpoint mean_on h k (mu_ : bool) steps (f : walk -> mat) w : mat :=
  if steps is steps'.+1 then
    foldr (joined h k) [::] [seq foldr (joined h k) [::] [seq
      (let q := chance mu_ w a t in if qnull q then [::] else scale h k q (mean_on h k mu_ steps' f (extended w a t)))
      | t <- iota 0 n] | a <- iota 0 (actions M)]
  else f w.
Fixpoint every_on (mu_ : bool) steps (f : walk -> bool) w : bool :=
  if steps is steps'.+1 then
    each2 (actions M) n (fun a t => if qnull (chance mu_ w a t) then true else every_on mu_ steps' f (extended w a t))
  else f w.

Definition prepare : prepared :=
  let N := kernel M b in let sum := summable_powers M b N in let A_and_b := given && sum in
  Prepared (behaviour_chain M) N sum (if A_and_b then of_A M b else [::]) (if A_and_b then of_b M b else [::]) (of_C M b).

Definition name_shape (x : named) : nat * nat :=
  match x with
  | TheIdentity | TheChain | TheTarget | TheKernel | TheWeights => (n, n)
  | TheOnes k => (k, 1%N)
  | TheReward | TheShare | TheLaw => (n, 1%N)
  | TheFeatures => (n, m)
  | TheA | TheC => (m, m)
  | TheB | TheTheta => (m, 1%N)
  | TheDiscount | TheKappa | TheLength | TheLambda _ | TheProduct _ | TheWeight _ => (1%N, 1%N)
  | TheRows k => (k, k)
  end.
Definition name_value (t : prepared) (x : named) : mat :=
  match x with
  | TheIdentity => identity n
  | TheOnes k => table k 1 (fun _ _ => qone)
  | TheChain => chain_is t
  | TheTarget => target_at
  | TheKernel => kernel_is t
  | TheReward => mean_gain M b
  | TheShare => upright n (share M b)
  | TheFeatures => features M
  | TheLaw => upright n (law_given b)
  | TheWeights => diagonal n (upright n (law_given b))
  | TheA => A_is t
  | TheB => b_is t
  | TheC => C_is t
  | TheTheta => upright m star
  | TheDiscount => [:: [:: discount_at]]
  | TheKappa => [:: [:: kappa_at]]
  | TheLength => [:: [:: natural_at (size (lambdas M))]]
  | TheLambda k => [:: [:: lambda_at k]]
  | TheProduct k => [:: [:: product_at k]]
  | TheWeight k => [:: [:: weight_at k]]
  | TheRows k => table k k (fun i j => row_at i.+1 j.+1)
  end.
Definition name_fits (t : prepared) (x : named) : bool :=
  match x with
  | TheLaw | TheWeights | TheC => given
  | TheA | TheB => given && sum_is t
  | TheDiscount => one_discount
  | TheKappa => one_discount && (if powers b is Endless l _ _ then ~~ qequal (qmul l discount_at) qone else true)
  | TheLength => if powers b is Ends then true else false
  | _ => true
  end.

(* The second additive compound, x∧y ↦ Xx∧y + x∧Xy: its rows and columns belong to pairs i < j. *)
Definition places k : seq (nat * nat) := [seq ij <- [seq (i, j) | i <- iota 0 k, j <- iota 0 k] | (ij.1 < ij.2)%N].
Definition place k x : nat * nat := nth (0%N, 0%N) (places k) x.
Definition pair_at (X : mat) (x y : nat * nat) : Q :=
  let: (i, j) := x in let: (i', j') := y in
  qadd (qadd (if eqn j j' then entry X i i' else qzero) (if eqn j i' then qopp (entry X i j') else qzero))
    (qadd (if eqn i i' then entry X j j' else qzero) (if eqn i j' then qopp (entry X j i') else qzero)).
(* Of a row and each pair of columns, whether its number is one of them, and its entries there: two such lists make a row of the
   compound in one walk. *)
Definition at_pairs (X : mat) l i : seq (bool * bool * (Q * Q)) :=
  let r := nth [::] X i in [seq (eqn i y.1, eqn i y.2, (at_ r y.1, at_ r y.2)) | y <- l].
Definition of_pairs (u v : bool * bool * (Q * Q)) : Q :=
  let: (ii', ij', (xii', xij')) := u in let: (ji', jj', (xji', xjj')) := v in
  qadd (qadd (if jj' then xii' else qzero) (if ji' then qopp xij' else qzero))
    (qadd (if ii' then xjj' else qzero) (if ij' then qopp xji' else qzero)).
Definition compound k (X : mat) : mat :=
  let l := places k in let s := [seq at_pairs X l i | i <- iota 0 k] in
  [seq zipped of_pairs (nth [::] s x.1) (nth [::] s x.2) | x <- l].
(* Zeros below the diagonal, and ones on it where [unit]. *)
Definition upper (unit : bool) k (X : mat) : bool := each2 k k (fun i j =>
  if (i < j)%N then true else if eqn i j then (if unit then qequal (entry X i j) qone else true) else qnull (entry X i j)).

Fixpoint shape (e : expression) : nat * nat :=
  match e with
  | Constant _ | EntryOf _ _ _ | SumOf _ | DeterminantOf _ _ _ _ => (1%N, 1%N)
  | Named x => name_shape x
  | OnStep x _ => step_shape x
  | ReturnOf _ => (1%N, 1%N)
  | OnPath _ a | MeanOver _ _ _ a => shape a
  | Added a _ | Negated a | Raised a _ => shape a
  | Scaled _ a | SolutionOf _ a _ | PowersOf a | StepsOf a => shape a
  | Multiplied a c => ((shape a).1, (shape c).2)
  | Transposed a => let s := shape a in (s.2, s.1)
  | DiagonalOf a => let s := shape a in (s.1, s.1)
  | Beside a c => let s := shape a in (s.1, (s.2 + (shape c).2)%N)
  | PairsOf a => let k := size (places (shape a).1) in (k, k)
  end.

Definition summed_with (t : prepared) k (X : mat) : mat := summed M b (kernel_is t) k X.

Fixpoint value (t : prepared) (p : walk) (e : expression) : mat :=
  let h := (shape e).1 in let w := (shape e).2 in
  match e with
  | Constant q => [:: [:: q]]
  | Named x => name_value t x
  | OnStep x k => step_value p x k
  | ReturnOf r => [:: [:: return_on r p (size (lambdas M)) 0]]
  | OnPath p' a => value t p' a
  | MeanOver mu_ s k a =>
    if s is Some s' then mean_on h w mu_ k (fun p' => value t p' a) (Walk s' [::]) else
      foldr (joined h w) [::] [seq
        (let q := at_ (law_given b) s' in
         if qnull q then [::] else scale h w q (mean_on h w mu_ k (fun p' => value t p' a) (Walk s' [::])))
        | s' <- iota 0 n]
  | Added a c => plus h w (value t p a) (value t p c)
  | Negated a => scale h w (qopp qone) (value t p a)
  | Scaled a c => scale h w (entry (value t p a) 0 0) (value t p c)
  | Multiplied a c => times h (shape a).2 w (value t p a) (value t p c)
  | Raised a k => let X := value t p a in iter k (times h h h X) (identity h)
  | Transposed a => transpose w h (value t p a)
  | EntryOf a i j => [:: [:: entry (value t p a) i j]]
  | SumOf a => let X := value t p a in
    [:: [:: total [seq total [seq entry X i j | j <- iota 0 (shape a).2] | i <- iota 0 (shape a).1]]]
  | DiagonalOf a => diagonal h (value t p a)
  | Beside a c => let X := value t p a in let Y := value t p c in let k := (shape a).2 in
    table h w (fun i j => if (j < k)%N then entry X i j else entry Y i (j - k))
  | DeterminantOf a _ _ U => [:: [:: foldr (fun i => qmul (entry U i i)) qone (iota 0 (shape a).1)]]
  | PairsOf a => compound (shape a).1 (value t p a)
  | SolutionOf _ c inverse => times h h w inverse (value t p c)
  | PowersOf a => summed_with t w (value t p a)
  | StepsOf a => let X := value t p a in
    plus h w X (summed_with t w (plus h w (times h h w (kernel_is t) X) (scale h w (qopp qone) X)))
  end.

Definition same (x y : nat * nat) : bool := eqn x.1 y.1 && eqn x.2 y.2.
Definition powers_everywhere (t : prepared) : bool :=
  sum_is t && (if powers b is Endless _ T _ then each n (marked T) else true).

(* Names at a step have no value where there is no path. *)
Definition path_of (p : option walk) : walk := if p is Some p' then p' else Walk 0 [::].
Fixpoint fits (t : prepared) (p : option walk) (e : expression) : bool :=
  match e with
  | Constant _ => true
  | Named x => name_fits t x
  | OnStep x k => if p is Some p' then step_fits p' x k else false
  | ReturnOf r => if p is Some p' then return_fits r p' else false
  | OnPath p' a => legal p' && fits t (Some p') a
  | MeanOver mu_ s k a => let all_on s' := every_on mu_ k (fun p' => fits t (Some p') a) (Walk s' [::]) in
    if s is Some s' then (s' < n)%N && all_on s'
    else given && each n (fun s' => if qnull (at_ (law_given b) s') then true else all_on s')
  | Added a c => [&& fits t p a, fits t p c & same (shape a) (shape c)]
  | Negated a | Transposed a | SumOf a => fits t p a
  | Scaled a c => [&& fits t p a, fits t p c & same (shape a) (1%N, 1%N)]
  | Multiplied a c => [&& fits t p a, fits t p c & eqn (shape a).2 (shape c).1]
  | Raised a _ => fits t p a && eqn (shape a).2 (shape a).1
  | EntryOf a i j => [&& fits t p a, (i < (shape a).1)%N & (j < (shape a).2)%N]
  | DiagonalOf a => fits t p a && eqn (shape a).2 1
  | Beside a c => [&& fits t p a, fits t p c & eqn (shape a).1 (shape c).1]
  | DeterminantOf a U' L U => let k := (shape a).1 in
    [&& fits t p a, eqn (shape a).2 k, upper true k U', upper true k (transpose k k L), upper false k U &
        equal k k (times k k k U' (value t (path_of p) a)) (times k k k L U)]
  | PairsOf a => fits t p a && eqn (shape a).2 (shape a).1
  | SolutionOf a c inverse => let k := (shape c).1 in
    [&& fits t p a, fits t p c, same (shape a) (k, k) & equal k k (times k k k (value t (path_of p) a) inverse) (identity k)]
  | PowersOf a | StepsOf a => [&& fits t p a, eqn (shape a).1 n & powers_everywhere t]
  end.

Definition compared (s : order) h w (X Y : mat) : bool :=
  match s with
  | Alike => equal h w X Y
  | Unlike => ~~ equal h w X Y
  | Below => everywhere (fun x y => qpos (qadd y (qopp x))) h w X Y
  | AtMost => everywhere (fun x y => qnneg (qadd y (qopp x))) h w X Y
  end.
Definition relation_holds (t : prepared) (l : relation) : bool :=
  let: (x, s, y) := l in
  [&& fits t None x, fits t None y, same (shape x) (shape y) &
    compared s (shape x).1 (shape x).2 (value t (path_of None) x) (value t (path_of None) y)].

(* [about]: the class that the certificate names, if any; [given]: a law on it is given. *)
Definition check_relation (about : option component) (l : seq relation) : bool :=
  [&& proper M, is_class M about, (if given then check_stationary M false (about_class b) (law_given b) else true) & let t := prepare in all (relation_holds t) l].
End Compute.

(* ---- What it means ---- *)

Section Meaning.
Variables (R : realFieldType) (M : model) (b : basis) (given : bool) (star : vec).
Local Notation n := (last_state M).
Local Notation m := (columns M).
Local Notation val := (@qval R).

(* λ_1, λ_2, …, with an end or all alike *)
Definition lambda_of : nat -> R := match powers b with Ends => lam R M | Endless l _ _ => fun _ => val l end.
Definition P_pi_of : 'M[R]_n.+1 := \matrix_(i, j) \sum_(a : Act M) used_weight R b i a * p R a i j.
(* M = Σ w_k Nᵏ; without an end (1 − λ) (I − λN)⁻¹ N *)
Definition M_of : 'M[R]_n.+1 :=
  match powers b with
  | Ends => Schedule.M lambda_of (size (lambdas M)) (N_of R M b)
  | Endless l _ _ => (1 - val l) *: (S_of R M b *m N_of R M b)
  end.
Definition discount_of : R := val (discount_at M).
Definition constant_discount : Prop := forall (i : 'I_n.+1) (o : Act M * 'I_n.+1), gamma R i o = discount_of.
(* Σ w_k γᵏ; without an end (1 − λ)γ / (1 − λγ), to which the sums tend ([kappa_sums]) *)
Definition kappa_of : R :=
  match powers b with
  | Ends => kappa lambda_of (size (lambdas M)) discount_of
  | Endless l _ _ => (1 - val l) * discount_of / (1 - val l * discount_of)
  end.
(* The class is recurrent, and d its law. *)
Definition lawful : Prop :=
  [/\ recurrent_class (chain R M) (on_class M b), law (chain R M) (d_of R M b) &
      forall i, (0 < d_of R M b 0 i) = (i \in on_class M b)].

(* X where it has h rows and w columns; never asked for otherwise. *)
Definition sized h w h' w' (X : 'M[R]_(h', w')) : 'M[R]_(h, w) := conform_mx 0 X.
Definition number h w (x : R) : 'M[R]_(h, w) := sized h w (x%:M : 'M_1).

Definition name_meaning (x : named) h w : 'M[R]_(h, w) :=
  match x with
  | TheIdentity => sized h w (1%:M : 'M_n.+1)
  | TheOnes k => sized h w (const_mx 1 : 'cV_k)
  | TheChain => sized h w (chain R M)
  | TheTarget => sized h w P_pi_of
  | TheKernel => sized h w (N_of R M b)
  | TheReward => sized h w (r_of R M b)
  | TheShare => sized h w (q_of R M b)^T
  | TheFeatures => sized h w (Phi R M)
  | TheLaw => sized h w (d_of R M b)^T
  | TheWeights => sized h w (diag_mx (d_of R M b))
  | TheA => sized h w (A_of R M b)
  | TheB => sized h w (b_of R M b)
  | TheC => sized h w (C_of R M b)
  | TheTheta => sized h w (colv R m star)
  | TheDiscount => number h w discount_of
  | TheKappa => number h w kappa_of
  | TheLength => number h w (size (lambdas M))%:R
  | TheLambda k => number h w (lambda_of k)
  | TheProduct k => number h w (c lambda_of k)
  | TheWeight k => number h w (Schedule.w lambda_of k)
  | TheRows k => sized h w (\matrix_(i < k, j < k) Lambda lambda_of i.+1 j.+1)
  end.
Definition name_defined (x : named) : Prop :=
  match x with
  | TheLaw | TheWeights | TheC => lawful
  | TheA | TheB => well_based R M b
  | TheDiscount => constant_discount
  | TheKappa => constant_discount /\ if powers b is Endless l _ _ then val l * discount_of != 1 else True
  | TheLength => if powers b is Ends then True else False
  | _ => True
  end.

(* On a path: what the model gives at its states and transitions *)
Definition R_at p k : R := val (reward_on M p k).
Definition Gamma_at p k : R := val (discount_on M p k).
Definition rho_at p k : R := val (target_on M p k) / val (behaviour_on M p k).
Definition rho_if (r : bool) p k : R := if r then rho_at p k else 1.
Definition phi_at p k : 'cV[R]_m := \col_j val (entry (features M) (state_on p k) j).
Definition v_at p k : R := ((phi_at p k)^T *m colv R m star) 0 0.
Definition delta_at p k : R := R_at p k + Gamma_at p k * v_at p k.+1 - v_at p k.
(* Σ_i c_{k−i} Γ_i … Γ_{k−1} φ(s_i), and the same with ρ_i … ρ_k *)
Definition z_at r p k : 'cV[R]_m := \sum_(0 <= i < k.+1)
  (c lambda_of (k - i) * (\prod_(i <= j < k) (Gamma_at p j * rho_if r p j) * rho_if r p k)) *: phi_at p i.
(* The return, by its recursion *)
Fixpoint return_at r p k i : R :=
  let l := lambda_of i.+1 in let rest := if k is k'.+1 then return_at r p k' i.+1 else 0 in
  rho_if r p i * (R_at p i + Gamma_at p i * ((1 - l) * v_at p i.+1 + l * rest)).
Definition step_meaning p x k h w : 'M[R]_(h, w) :=
  match x with
  | StepReward => number h w (R_at p k)
  | StepDiscount => number h w (Gamma_at p k)
  | StepRatio => number h w (rho_at p k)
  | StepError => number h w (delta_at p k)
  | StepValue => number h w (v_at p k)
  | StepFeatures => sized h w (phi_at p k)
  | StepState => sized h w (\col_(i < n.+1) (nat_of_ord i == state_on p k)%:R)
  | StepTrace r => sized h w (z_at r p k)
  end.
(* The mean over all continuations of a path by so many steps *)
Definition policy_of (mu_ : bool) p (a : Act M) : R := val (entry (if mu_ then behaviour M else target M) (last_of p) a).
Definition move_of p (a : Act M) (t : 'I_n.+1) : R := val (entry (of_action (transitions M) a) (last_of p) t).
Fixpoint mean_of h w (mu_ : bool) steps (f : walk -> 'M[R]_(h, w)) p : 'M[R]_(h, w) :=
  if steps is steps'.+1 then \sum_(a : Act M) \sum_(t : 'I_n.+1)
    (policy_of mu_ p a * move_of p a t) *: mean_of mu_ steps' f (extended p a t)
  else f p.
(* Something is so on all of them that have a chance. *)
Fixpoint always (mu_ : bool) steps (f : walk -> Prop) p : Prop :=
  if steps is steps'.+1 then forall (a : Act M) (t : 'I_n.+1),
    policy_of mu_ p a * move_of p a t != 0 -> always mu_ steps' f (extended p a t)
  else f p.

(* The entry at these places, if there is one *)
Definition pick h w (X : 'M[R]_(h, w)) i j : R := \sum_(k | nat_of_ord k == i) \sum_(l | nat_of_ord l == j) X k l.
Definition pair_of k (X : 'M[R]_k) x y : R :=
  let: (i, j) := place k x in let: (i', j') := place k y in
  pick X i i' *+ (j == j') - pick X i j' *+ (j == i') + (pick X j j' *+ (i == i') - pick X j i' *+ (i == j')).

Fixpoint meaning (p : walk) (e : expression) h w : 'M[R]_(h, w) :=
  match e with
  | Constant q => number h w (val q)
  | Named x => name_meaning x h w
  | OnStep x k => step_meaning p x k h w
  | ReturnOf r => number h w (return_at r p (size (lambdas M)) 0)
  | OnPath p' a => meaning p' a h w
  | MeanOver mu_ s k a =>
    let from s' := mean_of mu_ k (fun p' => meaning p' a h w) (Walk s' [::]) in
    if s is Some s' then from s' else \sum_(s' : 'I_n.+1) d_of R M b 0 s' *: from (nat_of_ord s')
  | Added a c => meaning p a h w + meaning p c h w
  | Negated a => - meaning p a h w
  | Scaled a c => meaning p a 1 1 0 0 *: meaning p c h w
  | Multiplied a c => meaning p a h (shape M a).2 *m meaning p c (shape M a).2 w
  | Raised a k => sized h w (iter k (mulmx (meaning p a h h)) 1%:M)
  | Transposed a => (meaning p a w h)^T
  | EntryOf a i j => number h w (pick (meaning p a (shape M a).1 (shape M a).2) i j)
  | SumOf a => let X := meaning p a (shape M a).1 (shape M a).2 in number h w (\sum_k \sum_l X k l)
  | DiagonalOf a => sized h w (diag_mx (meaning p a h 1)^T)
  | Beside a c => sized h w (row_mx (meaning p a h (shape M a).2) (meaning p c h (shape M c).2))
  | DeterminantOf a _ _ _ => let k := (shape M a).1 in number h w (\det (meaning p a k k))
  | PairsOf a => let k := (shape M a).1 in \matrix_(x, y) pair_of (meaning p a k k) x y
  | SolutionOf a c _ => invmx (meaning p a h h) *m meaning p c h w
  | PowersOf a => sized h n.+1 (S_of R M b) *m meaning p a n.+1 w
  | StepsOf a => sized h n.+1 M_of *m meaning p a n.+1 w
  end.

(* Where the schedule has no end, S is (I − λN)⁻¹ at all states. *)
Definition powers_sum : Prop :=
  if powers b is Endless l T _ then (set_of M T = setT) /\ @resolved R M b (val l) setT \in unitmx else True.

(* The path has this step; where ρ is asked for, μ is not zero. *)
Definition mu_taken p i : Prop := val (behaviour_on M p i) != 0.
Definition step_defined p x k : Prop :=
  match x with
  | StepReward | StepDiscount | StepError => (k < size (transitions_of p))%N
  | StepRatio => (k < size (transitions_of p))%N /\ mu_taken p k
  | StepTrace true => (k < size (transitions_of p))%N /\ forall i, (i <= k)%N -> in_window M b k i -> mu_taken p i
  | _ => (k <= size (transitions_of p))%N
  end.
Definition return_defined (r : bool) p : Prop :=
  [/\ if powers b is Ends then True else False, (size (lambdas M) < size (transitions_of p))%N &
      r -> forall i, (i <= size (lambdas M))%N -> mu_taken p i].

(* All that it names has a value, shapes fit, and what it inverts is invertible. *)
Fixpoint defined (p : option walk) (e : expression) : Prop :=
  match e with
  | Constant _ => True
  | Named x => name_defined x
  | OnStep x k => if p is Some p' then step_defined p' x k else False
  | ReturnOf r => if p is Some p' then return_defined r p' else False
  | OnPath p' a => legal M p' /\ defined (Some p') a
  | MeanOver mu_ s k a => let all_on s' := always mu_ k (fun p' => defined (Some p') a) (Walk s' [::]) in
    if s is Some s' then (s' <= n)%N /\ all_on s'
    else lawful /\ forall s' : 'I_n.+1, d_of R M b 0 s' != 0 -> all_on (nat_of_ord s')
  | Added a c => [/\ defined p a, defined p c & shape M a = shape M c]
  | Scaled a c => [/\ defined p a, defined p c & shape M a = (1%N, 1%N)]
  | Multiplied a c => [/\ defined p a, defined p c & (shape M a).2 = (shape M c).1]
  | Negated a | Transposed a | SumOf a => defined p a
  | Raised a _ => defined p a /\ (shape M a).2 = (shape M a).1
  | EntryOf a i j => [/\ defined p a, (i < (shape M a).1)%N & (j < (shape M a).2)%N]
  | DiagonalOf a => defined p a /\ (shape M a).2 = 1%N
  | SolutionOf a c _ => let k := (shape M c).1 in
    [/\ defined p a, defined p c, shape M a = (k, k) & meaning (path_of p) a k k \in unitmx]
  | Beside a c => [/\ defined p a, defined p c & (shape M a).1 = (shape M c).1]
  | DeterminantOf a _ _ _ | PairsOf a => defined p a /\ (shape M a).2 = (shape M a).1
  | PowersOf a | StepsOf a => [/\ defined p a, (shape M a).1 = n.+1 & powers_sum]
  end.

Definition related (s : order) h w (X Y : 'M[R]_(h, w)) : Prop :=
  match s with
  | Alike => X = Y
  | Unlike => X <> Y
  | Below => forall i j, X i j < Y i j
  | AtMost => forall i j, X i j <= Y i j
  end.
(* Both sides are defined, have one shape, and are related. *)
Definition relation_true (l : relation) : Prop :=
  let: (x, s, y) := l in let h := (shape M x).1 in let w := (shape M x).2 in
  [/\ defined None x, defined None y, shape M x = shape M y &
      related s (meaning (path_of None) x h w) (meaning (path_of None) y h w)].

Lemma mx_single q : mx R 1 1 [:: [:: q]] = (val q)%:M.
Proof. by apply/matrixP => i j; rewrite !ord1 !mxE. Qed.
Lemma sized_id h w (X : 'M[R]_(h, w)) : sized h w X = X.
Proof. exact: conform_mx_id. Qed.
Lemma numberE (x : R) : number 1 1 x = x%:M.
Proof. exact: sized_id. Qed.

Lemma lambda_ofE k : val (lambda_at M b k) = lambda_of k.
Proof.
rewrite /lambda_at /lambda_of; case: (powers b) => [|l T W] //.
by case: k => [|k]; rewrite /lam /= ?qval0 // /at_; elim: (lambdas M) k => [|l s IH] [|k] //=; rewrite qval0.
Qed.

Lemma product_ofE k : val (product_at M b k) = c lambda_of k.
Proof.
rewrite /product_at /c /index_iota subn1 /=; elim: (iota 1 k) => [|j s IH]; first by rewrite big_nil qval1.
by rewrite big_cons /= qvalM IH lambda_ofE.
Qed.

Lemma weight_ofE k : val (weight_at M b k) = Schedule.w lambda_of k.
Proof. by rewrite qvalD qvalN !product_ofE. Qed.

Lemma power_ofE a k : val (power_at a k) = val a ^+ k.
Proof. by elim: k => [|k IH]; rewrite ?expr0 ?qval1 //= qvalM IH exprS. Qed.

Lemma row_ofE i j : val (row_at M b i j) = Lambda lambda_of i j.
Proof.
rewrite /row_at /Lambda eqnE; case: ifP => _; first by rewrite qvalM qvalD qvalN qval1 product_ofE lambda_ofE.
by case: ifP => _; rewrite ?product_ofE ?qval0.
Qed.

Lemma kappa_ofE : val (kappa_at M b) = kappa_of.
Proof.
rewrite /kappa_of; case E: (powers b) => [|l T W]; last first.
  by rewrite /kappa_at E qvalM fraction_inverseE !(qvalM, qvalD, qvalN) qval1.
rewrite /kappa big_add1 /= big_mkord /kappa_at E total_map; apply: eq_bigr => k _.
by rewrite qvalM power_ofE weight_ofE.
Qed.

Lemma kappa_sums l T W K : powers b = Endless l T W -> val l * discount_of != 1 ->
  \sum_(k < K) Schedule.w lambda_of k.+1 * discount_of ^+ k.+1 = kappa_of * (1 - (val l * discount_of) ^+ K).
Proof.
move=> E lg1; have lgU : 1 - val l * discount_of != 0 by rewrite subr_eq0 eq_sym.
have cE k : c lambda_of k = val l ^+ k.
  rewrite /c /lambda_of E /index_iota subn1 /= (eq_bigr (fun=> val l)) // big_const_seq count_predT size_iota.
  by elim: k => //= k ->; rewrite exprS.
rewrite /kappa_of E; elim: K => [|K IH]; first by rewrite big_ord0 expr0 subrr mulr0.
rewrite big_ord_recr /= IH /Schedule.w !cE /=; move: (val l) discount_of lgU => x g xg; rewrite !exprMn !exprS.
by move: (x ^+ K) (g ^+ K) => X Y; field.
Qed.

Lemma natural_atE k : val (natural_at k) = k%:R.
Proof. by rewrite /natural_at total_map qval1 sumr_const card_ord. Qed.

Lemma discount_ofE : one_discount M -> constant_discount.
Proof. by move=> /eachP H i [a j]; apply: qequalP; have /each2P := H a; apply. Qed.

Lemma uprightE k v : mx R k 1 (upright k v) = colv R k v.
Proof. by rewrite /upright mx_table; apply/matrixP => i j; rewrite !mxE. Qed.

Lemma diagonalE k X : mx R k k (diagonal k X) = diag_mx (mx R k 1 X)^T.
Proof.
rewrite /diagonal mx_table; apply/matrixP => i j; rewrite !mxE eqnE val_eqE; case: eqP => [->|_]; first by rewrite mulr1n.
by rewrite qval0 mulr0n.
Qed.

Lemma target_ofE : mx R n.+1 n.+1 (target_at M b) = P_pi_of.
Proof.
apply/matrixP => i j; rewrite !mxE entry_table // sum_actionsE; apply: eq_bigr => a _.
by rewrite qvalM used_weightE mxE.
Qed.

Lemma equalE h w X Y : equal h w X Y = (mx R h w X == mx R h w Y).
Proof.
apply/idP/eqP => [/equalP -> //|E]; rewrite /equal everywhere_table; apply/each2P => i j; have /matrixP/(_ i j) := E; rewrite !mxE => Eij.
by rewrite (qequal_val R) Eij.
Qed.

Hypothesis ok : proper M.
Hypothesis law_ok : given -> check_stationary M false (about_class b) (law_given b) /\ lawful.
Hypothesis based_ok : based M b -> well_based R M b.
Let t := prepare M b given.

Lemma sum_isE : sum_is t = summable_powers M b (kernel M b).
Proof. by []. Qed.
Lemma with_sum : given && sum_is t -> [/\ given, sum_is t, based M b & well_based R M b].
Proof.
case/andP=> g s; have [st _] := law_ok g; have B : based M b by rewrite /based st.
by split=> //; apply: based_ok.
Qed.

Lemma name_valueE x : name_fits M b given t x ->
  name_defined x /\ mx R _ _ (name_value M b star t x) = name_meaning x (name_shape M x).1 (name_shape M x).2.
Proof.
case: x => [|k|||||||||||||||| k|k|k|k]; rewrite /name_fits /name_defined /name_value /name_meaning [name_shape _ _]/= ?sized_id.
- by rewrite mx_identity.
- by split=> //; rewrite mx_table; apply/matrixP => i j; rewrite !mxE qval1.
- by split=> //; rewrite chainE.
- by rewrite target_ofE.
- by rewrite N_ofE.
- by rewrite r_ofE.
- by split=> //; apply/matrixP => i j; rewrite !mxE entry_table // q_ofE mxE.
- by [].
- by case/law_ok=> _ W; split=> //; rewrite uprightE; apply/matrixP => i j; rewrite !mxE.
- case/law_ok=> _ W; split=> //; rewrite diagonalE uprightE; congr (diag_mx _); apply/matrixP => i j; by rewrite !mxE.
- by case/with_sum=> g s B W; split=> //; move: s; rewrite /t /prepare /= g /= => ->; rewrite A_ofE.
- by case/with_sum=> g s B W; split=> //; move: s; rewrite /t /prepare /= g /= => ->; rewrite b_ofE.
- by case/law_ok=> _ W; split=> //; rewrite C_ofE.
- by rewrite uprightE.
- by move/discount_ofE; rewrite mx_single numberE.
- case/andP=> /discount_ofE H lg; rewrite mx_single numberE kappa_ofE; split=> //; split=> //; move: lg.
  case: (powers b) => // l T W; apply: contra => /eqP lg; rewrite (qequal_val R) qvalM qval1.
  by rewrite -/discount_of lg.
- by case: (powers b) => // _; rewrite mx_single numberE natural_atE.
- by rewrite mx_single numberE lambda_ofE.
- by rewrite mx_single numberE product_ofE.
- by rewrite mx_single numberE weight_ofE.
split=> //; rewrite mx_table; apply/matrixP => i j; by rewrite !mxE row_ofE.
Qed.

Lemma sameP x y : same x y -> x = y.
Proof. by case: x y => [a c] [a' c'] /andP[/eqP /= -> /eqP /= ->]. Qed.

Lemma places_in k x : (x < size (places k))%N -> ((place k x).1 < k)%N /\ ((place k x).2 < k)%N.
Proof.
move=> lt; have := mem_nth (0%N, 0%N) lt; rewrite -/(place k x) mem_filter => /andP[_ /allpairsP[[i j] /= [Hi Hj ->]]].
by move: Hi Hj; rewrite !mem_iota !add0n.
Qed.

Lemma pickE h w X i j : (i < h)%N -> (j < w)%N -> pick (mx R h w X) i j = val (entry X i j).
Proof.
move=> ih jw; rewrite /pick (big_pred1 (Ordinal ih)) => [|k]; last by rewrite /= -val_eqE.
by rewrite (big_pred1 (Ordinal jw)) => [|k]; rewrite ?mxE //= -val_eqE.
Qed.

Lemma compound_pairs k X : compound k X = [seq [seq pair_at X x y | y <- places k] | x <- places k].
Proof.
apply/eq_in_map => x; rewrite mem_filter => /andP[_ /allpairsP[[i j] /= [Hi Hj ->]]].
move: Hi Hj; rewrite !mem_iota !add0n => /andP[_ Hi] /andP[_ Hj].
rewrite !(nth_map 0%N) ?size_iota // !nth_iota // !add0n /at_pairs zipped_map; apply: eq_map => y; by case: y.
Qed.
Lemma compoundE k X : mx R _ _ (compound k X) = \matrix_(x, y < size (places k)) pair_of (mx R k k X) x y.
Proof.
rewrite compound_pairs; apply/matrixP => x y.
rewrite [LHS]mxE [RHS]mxE [entry _ x y]/entry /at_ (nth_map (0%N, 0%N)) // (nth_map (0%N, 0%N)) // -!/(place k _).
rewrite /pair_at /pair_of; have := places_in (ltn_ord x); have := places_in (ltn_ord y).
case: (place k x) => i j; case: (place k y) => i' j' /= [Hi' Hj'] [Hi Hj].
by rewrite !pickE // !eqnE !qvalD !(fun_if (@qval R)) !qvalN !qval0 -!mulrb !mulNrn.
Qed.

Lemma besideE h k w X Y : mx R h (k + w) (table h (k + w) (fun i j => if (j < k)%N then entry X i j else entry Y i (j - k)))
  = row_mx (mx R h k X) (mx R h w Y).
Proof.
rewrite mx_table; apply/matrixP => i j; rewrite !mxE; case: split_ordP => l ->; by rewrite !mxE //= addKn.
Qed.

Lemma upperP u k X : upper u k X -> is_trig_mx (mx R k k X)^T /\ (u -> \det (mx R k k X) = 1).
Proof.
move=> /each2P H; have trig : is_trig_mx (mx R k k X)^T.
  apply/is_trig_mxP => i j ij; rewrite !mxE; have := H j i; rewrite ltnNge ltnW //= eqnE.
  by rewrite eq_sym (ltn_eqF ij) (qnullP R) => /eqP.
split=> // is_u; rewrite -det_tr det_trig //; apply: big1 => i _; rewrite !mxE; have := H i i.
by rewrite ltnn eqnE eqxx is_u (qequal_val R) qval1 => /eqP.
Qed.

Lemma determinantE k X U' L U : upper true k U' -> upper true k (transpose k k L) -> upper false k U ->
  equal k k (times k k k U' X) (times k k k L U) ->
  val (foldr (fun i => qmul (entry U i i)) qone (iota 0 k)) = \det (mx R k k X).
Proof.
case/upperP=> _ /(_ isT) dU' /upperP[_ /(_ isT) dL] /upperP[trig _]; rewrite equalE !mx_times => /eqP E.
have <- : \det (mx R k k U) = \det (mx R k k X).
  have := congr1 determinant E; rewrite !det_mulmx dU' mul1r => ->.
  by rewrite mx_transpose det_tr in dL; rewrite dL mul1r.
rewrite -det_tr det_trig //.
have -> : \prod_i (mx R k k U)^T i i = \prod_(i < k) val (entry U i i) by apply: eq_bigr => i _; rewrite !mxE.
rewrite -(big_mkord xpredT (fun i => val (entry U i i))) /index_iota subn0.
by elim: (iota 0 k) => [|i l IH]; rewrite ?big_nil ?qval1 // big_cons /= qvalM IH.
Qed.

Lemma powers_sumP : powers_everywhere M b t -> summable_powers M b (kernel M b) /\ powers_sum.
Proof.
case/andP=> sum all_T; split=> //; move: all_T; rewrite /powers_sum; case E: (powers b) => [|l T W] // /eachP all_in.
have TT : set_of M T = setT by apply/setP => i; rewrite !inE all_in.
split=> //; have := resolved_unit R E sum; rewrite TT => /mulmx1_unit[]; by [].
Qed.

(* MX from SX *)
Lemma stepsE k (X : 'M[R]_(n.+1, k)) : summable_powers M b (kernel M b) -> powers_sum ->
  X + S_of R M b *m (N_of R M b *m X - X) = M_of *m X.
Proof.
move=> sum; rewrite /powers_sum /M_of /S_of /lambda_of; case E: (powers b) => [|l T W].
  move=> _; have tel : (trace_sum (lam R M) (size (lambdas M)) (N_of R M b)) *m (N_of R M b - 1%:M)
    = Schedule.M (lam R M) (size (lambdas M)) (N_of R M b) - 1%:M by rewrite -[RHS](telescoping_sums _ (@lam_finite R M)).
  have -> : N_of R M b *m X - X = (N_of R M b - 1%:M) *m X by rewrite mulmxBl mul1mx.
  by rewrite mulmxA tel mulmxBl mul1mx addrC subrK.
case=> -> unit; set I_ := @resolved R M b (val l) setT in unit *.
have I_E : I_ = 1%:M - val l *: N_of R M b.
  by rewrite /I_ /resolved; congr (_ - _ *: _); apply/matrixP => i j; rewrite !mxE inE.
have : invmx I_ *m I_ = 1%:M by rewrite mulVmx.
rewrite {2}I_E mulmxBr mulmx1 -scalemxAr => inv.
have -> : invmx I_ *m (N_of R M b *m X - X) = invmx I_ *m N_of R M b *m X - invmx I_ *m X by rewrite mulmxBr mulmxA.
have {2}-> : invmx I_ = 1%:M + val l *: (invmx I_ *m N_of R M b) by apply/eqP; rewrite -subr_eq inv.
rewrite mulmxDl mul1mx -!scalemxAl.
by rewrite scalerBl scale1r opprD addrCA (addrA X) subrr add0r.
Qed.

Lemma ratio_ifE r p k : val (ratio_if M r p k) = rho_if r p k.
Proof. by case: r; rewrite /= ?qval1 // /ratio_on qvalM fraction_inverseE. Qed.

Lemma value_onE p k : val (value_on M star p k) = v_at p k.
Proof. by rewrite /value_on /v_at total_map mxE; apply: eq_bigr => j _; rewrite qvalM !mxE. Qed.

Lemma error_onE p k : val (error_on M star p k) = delta_at p k.
Proof. by rewrite !qvalD qvalN qvalM !value_onE. Qed.

Lemma lag_onE r p k i : val (lag_on M b r p k i)
  = c lambda_of (k - i) * (\prod_(i <= j < k) (Gamma_at p j * rho_if r p j) * rho_if r p k).
Proof.
rewrite qvalM product_ofE /index_iota; congr (_ * _); elim: (iota i (k - i)) => [|j l IH].
  by rewrite big_nil mul1r /= ratio_ifE.
by rewrite big_cons /= !qvalM IH ratio_ifE mulrA.
Qed.

Lemma trace_onE r p k : mx R m 1 (trace_on M b r p k) = z_at r p k.
Proof.
apply/matrixP => i j; rewrite !mxE entry_table // ?(ord1 j) // total_map summxE big_mkord.
by apply: eq_bigr => l _; rewrite qvalM lag_onE !mxE.
Qed.

Lemma return_onE r p k i : val (return_on M b star r p k i) = return_at r p k i.
Proof.
elim: k i => [|k IH] i; rewrite /= !(qvalM, qvalD, qvalN) ratio_ifE value_onE lambda_ofE qval1 ?qval0 //.
by rewrite IH.
Qed.

Lemma step_valueE p x k : step_fits M b p x k ->
  step_defined p x k /\ mx R _ _ (step_value M b star p x k) = step_meaning p x k (step_shape M x).1 (step_shape M x).2.
Proof.
rewrite /step_value /step_meaning; case: x => [||||||| r] /=.
- by move=> lt; rewrite mx_single numberE.
- by move=> lt; rewrite mx_single numberE.
- by case/andP=> lt; rewrite /taken (qnullP R) mx_single numberE /ratio_on qvalM fraction_inverseE.
- by move=> lt; rewrite mx_single numberE error_onE.
- by move=> lt; rewrite mx_single numberE value_onE.
- move=> le; split=> //; rewrite sized_id mx_table; by apply/matrixP => i j; rewrite !mxE.
- move=> le; split=> //; rewrite sized_id mx_table; apply/matrixP => i j; rewrite !mxE eqnE.
  by case: eqP => _; rewrite ?qval1 ?qval0.
case: r => [/andP[lt /eachP all_taken]|le]; split; rewrite ?sized_id ?trace_onE //; split=> // i ik win.
by have := all_taken (Ordinal (ik : (i < k.+1)%N)); rewrite /= win /taken (qnullP R).
Qed.

Lemma return_fitsE r p : return_fits M b r p -> return_defined r p.
Proof.
rewrite /return_fits /return_defined; case: (powers b) => // /andP[lt all_taken]; split=> // is_r i il.
move: all_taken; rewrite is_r => /eachP/(_ (Ordinal (il : (i < (size (lambdas M)).+1)%N))).
by rewrite /taken (qnullP R).
Qed.

Lemma mx_nothing h w : mx R h w [::] = 0.
Proof. by apply/matrixP => i j; rewrite !mxE /entry /at_ !nth_nil qval0. Qed.

Lemma joinedE h w k (f : nat -> mat) :
  mx R h w (foldr (joined h w) [::] [seq f i | i <- iota 0 k]) = \sum_(i < k) mx R h w (f i).
Proof.
rewrite -(big_mkord xpredT (fun i => mx R h w (f i))) /index_iota subn0.
elim: (iota 0 k) => [|i l IH]; first by rewrite big_nil mx_nothing.
rewrite big_cons map_cons -IH [foldr _ _ (_ :: _)]/=; case: (f i) => [|row X]; last exact: mx_plus.
by rewrite mx_nothing add0r.
Qed.

Lemma chanceE mu_ p (a : Act M) (s : 'I_n.+1) : val (chance M mu_ p a s) = policy_of mu_ p a * move_of p a s.
Proof. by rewrite qvalM. Qed.

Lemma weighedE h w q X Y : (~~ qnull q -> mx R h w X = Y) ->
  mx R h w (if qnull q then [::] else scale h w q X) = val q *: Y.
Proof.
case E: (qnull q) => H; last by rewrite mx_scale H.
by move: E; rewrite mx_nothing (qnullP R) => /eqP ->; rewrite scale0r.
Qed.

Lemma mean_onE h w mu_ k (F : walk -> bool) (D : walk -> Prop) f g :
  (forall p, F p -> D p /\ mx R h w (f p) = g p) ->
  forall p, every_on M mu_ k F p -> always mu_ k D p /\ mx R h w (mean_on M h w mu_ k f p) = mean_of mu_ k g p.
Proof.
move=> H; elim: k => [|k IH] p; first exact: H.
move/each2P=> every; split=> [a s|].
  by move=> chance0; have := every a s; rewrite (qnullP R) chanceE (negbTE chance0) => ok_as; have [] := IH _ ok_as.
rewrite [LHS]joinedE; apply: eq_bigr => a _; rewrite joinedE; apply: eq_bigr => s _; rewrite -chanceE.
by apply: weighedE => q0; have := every a s; rewrite (negbTE q0) => ok_as; have [] := IH _ ok_as.
Qed.

Lemma valueE e : forall p, fits M b given star t p e ->
  defined p e /\ mx R _ _ (value M b star t (path_of p) e) = meaning (path_of p) e (shape M e).1 (shape M e).2.
Proof.
elim: e => [x k|r|p' a IHa|mu_ s k a IHa|q|x|a IHa d IHd|
  a IHa|a IHa d IHd|a IHa d IHd|a IHa k|a IHa|a IHa i j|a IHa|a IHa|a IHa d IHd|a IHa U' L U|a IHa|
  a IHa d IHd W|a IHa|a IHa].
- by move=> [p|] //; apply: step_valueE.
- by case=> [p|] // /return_fitsE D; split=> //; rewrite [LHS]mx_single [RHS]numberE return_onE.
- by move=> p /andP[L /IHa[da Ea]].
- move=> p; pose h := (shape M a).1; pose w := (shape M a).2.
  have over s' := @mean_onE h w mu_ k _ (fun p' => defined (Some p') a) _ (fun p' => meaning p' a h w)
    (fun p' F => IHa (Some p') F) (Walk s' [::]).
  case: s => [s'|]; first by case/andP=> s'n /over[D E].
  case/andP=> /law_ok[_ W] /eachP each_s; split.
    split=> // s'; have := each_s s'; rewrite (qnullP R) -/(d_of R M b) => + d0.
    by rewrite mxE in d0; rewrite (negbTE d0) => ok_s; have [] := over _ ok_s.
  rewrite [LHS]joinedE; apply: eq_bigr => s' _; rewrite [d_of _ _ _ _ _]mxE.
  by apply: weighedE => q0; have := each_s s'; rewrite (negbTE q0) => ok_s; have [] := over _ ok_s.
- by move=> p _; split=> //; rewrite [LHS]mx_single [RHS]numberE.
- by move=> p; apply: name_valueE.
- move=> p; case/and3P=> /IHa[da Ea] /IHd[dd Ed] /sameP S; split=> //.
  by rewrite [LHS]mx_plus Ea; congr (_ + _); move: Ed; rewrite -S.
- move=> p; by case/IHa=> da Ea; split=> //; rewrite [LHS]mx_scale Ea qvalN qval1 scaleN1r.
- move=> p; case/and3P=> /IHa[da Ea] /IHd[dd Ed] /sameP S; split=> //; rewrite [LHS]mx_scale Ed; congr (_ *: _).
  by rewrite S in Ea; have /matrixP/(_ 0 0) := Ea; rewrite mxE.
- move=> p; case/and3P=> /IHa[da Ea] /IHd[dd Ed] /eqP S; split=> //; rewrite [LHS]mx_times Ea.
  by move: Ed; rewrite -S => ->.
- move=> p; case/andP=> /IHa[da Ea] /eqP S; split=> //=; move: Ea; rewrite S sized_id => Ea.
  elim: k => [|k IHk]; first by rewrite /= mx_identity.
  by rewrite !iterS mx_times IHk Ea.
- move=> p; by case/IHa=> da Ea; split=> //; rewrite [LHS]mx_transpose Ea.
- move=> p; case/and3P=> /IHa[da Ea] ih jw; split=> //.
  change (mx R 1 1 [:: [:: entry (value M b star t (path_of p) a) i j]]
    = number 1 1 (pick (meaning (path_of p) a (shape M a).1 (shape M a).2) i j)).
  by rewrite mx_single numberE -Ea pickE.
- move=> p; case/IHa=> da Ea; split=> //.
  set X := value M b star t (path_of p) a in Ea *.
  change (mx R 1 1 [:: [:: total [seq total [seq entry X i j | j <- iota 0 (shape M a).2] | i <- iota 0 (shape M a).1]]]
    = number 1 1 (\sum_k \sum_l meaning (path_of p) a (shape M a).1 (shape M a).2 k l)).
  rewrite mx_single numberE -Ea; congr (_%:M).
  rewrite total_map; apply: eq_bigr => i _; rewrite total_map; apply: eq_bigr => j _; by rewrite mxE.
- move=> p; by case/andP=> /IHa[da Ea] /eqP S; split=> //; rewrite [LHS]diagonalE /= sized_id; move: Ea; rewrite S => ->.
- move=> p; case/and3P=> /IHa[da Ea] /IHd[dd Ed] /eqP S; split=> //; rewrite [LHS]besideE [RHS]sized_id Ea.
  by move: Ed; rewrite -S => ->.
- move=> p; case/andP=> /IHa[da Ea] /andP[/eqP S /and4P[HU' HL HU E]]; split=> //.
  by rewrite [LHS]mx_single [RHS]numberE (determinantE HU' HL HU E); move: Ea; rewrite S => ->.
- move=> p; case/andP=> /IHa[da Ea] /eqP S; split=> //; rewrite [LHS]compoundE; move: Ea; rewrite S => Ea.
  by apply/matrixP => x y; rewrite [LHS]mxE [RHS]mxE Ea.
- move=> p; case/and4P=> /IHa[da Ea] /IHd[dd Ed] /sameP S /(equalP R); rewrite S in Ea.
  rewrite mx_times mx_identity Ea => inv; have [u _] := mulmx1_unit inv; split=> //=.
  by rewrite mx_times Ed -[in RHS](mulmx1 (invmx _)) -inv mulKmx.
- move=> p; case/and3P=> /IHa[da Ea] /eqP S /powers_sumP[sum P]; split=> //.
  move: Ea => /=; rewrite /= S sized_id => Ea; by rewrite /summed_with summedE // Ea.
move=> p; case/and3P=> /IHa[da Ea] /eqP S /powers_sumP[sum P]; split=> //.
move: Ea => /=; rewrite /= S sized_id => Ea; rewrite mx_plus /summed_with summedE // mx_plus mx_times mx_scale.
by rewrite N_ofE // Ea qvalN qval1 scaleN1r stepsE.
Qed.

Lemma comparedE s h w X Y : compared s h w X Y -> related s (mx R h w X) (mx R h w Y).
Proof.
case: s => /=.
- by rewrite equalE => /eqP.
- by rewrite equalE => /eqP.
- by rewrite /compared everywhere_table => /each2P H i j; have := H i j; rewrite (qpos_val R) qvalD qvalN subr_gt0 !mxE.
by rewrite /compared everywhere_table => /each2P H i j; have /(qnnegP R) := H i j; rewrite qvalD qvalN subr_ge0 !mxE.
Qed.

Lemma relationE l : relation_holds M b given star t l -> relation_true l.
Proof.
case: l => -[x s] y /and4P[/valueE[dx Ex] /valueE[dy Ey] /sameP S /comparedE rel]; split=> //.
by move: Ey; rewrite -S => Ey; rewrite -Ex -Ey.
Qed.
End Meaning.
